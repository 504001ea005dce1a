// Express behind Aforo: every request is asked about before it is handled.
import express from "express";

const AFORO = process.env.AFORO ?? "http://127.0.0.1:8082";

async function limit(request, response, next) {
  const asked = {
    method: request.method,
    path: request.originalUrl,
    host: request.headers.host,
    address: request.socket.remoteAddress,
    headers: request.headersDistinct,
  };
  let decision;
  try {
    const answer = await fetch(`${AFORO}/v1/decide`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ request: asked }),
      signal: AbortSignal.timeout(500),
    });
    if (!answer.ok) throw new Error(`Aforo answered ${answer.status}: ${await answer.text()}`);
    decision = await answer.json();
  } catch (error) {
    console.error(error.message);
    return next(); // Aforo is away: requests pass.
  }
  response.set(decision.headers);
  if (!decision.allowed) return response.status(decision.status).send(decision.body);
  next();
}

const app = express();
app.use(limit);
app.get("/hello", (request, response) => response.json({ hello: "world" }));
app.listen(Number(process.env.PORT ?? 8080), "127.0.0.1");
