"""FastAPI behind Aforo: every request is asked about before it is handled."""

import os

import httpx
from fastapi import FastAPI, Request, Response

AFORO = os.environ.get("AFORO", "http://127.0.0.1:8082")

app = FastAPI()
aforo = httpx.AsyncClient(base_url=AFORO, timeout=0.5)


@app.middleware("http")
async def limit(request: Request, call_next):
    path = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    asked = {
        "method": request.method,
        "path": path,
        "host": request.headers.get("host"),
        "address": request.client.host,
        "headers": {name: request.headers.getlist(name) for name in request.headers},
    }
    try:
        answer = await aforo.post("/v1/decide", json={"request": asked})
        answer.raise_for_status()
    except httpx.HTTPError:
        return await call_next(request)  # Aforo is away: requests pass.
    decision = answer.json()
    if not decision["allowed"]:
        return Response(decision["body"], decision["status"], decision["headers"])
    response = await call_next(request)
    response.headers.update(decision["headers"])
    return response


@app.get("/hello")
async def hello():
    return {"hello": "world"}
