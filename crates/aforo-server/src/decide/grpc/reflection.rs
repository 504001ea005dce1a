//! Server reflection: what `grpcurl` needs to ask without any file.

use std::pin::Pin;

use http::{Request, Response};
use hyper::body::Incoming;
use prost_types::field_descriptor_proto::{Label, Type};
use prost_types::{
    DescriptorProto, EnumDescriptorProto, EnumValueDescriptorProto, FieldDescriptorProto,
    FileDescriptorProto, FileDescriptorSet, MessageOptions, MethodDescriptorProto,
    ServiceDescriptorProto,
};
use tonic::Status;
use tonic::body::Body;
use tonic_reflection::server::Builder;

use super::connection::served;

type Answer<'a> = Pin<Box<dyn Future<Output = Response<Body>> + 'a>>;

/// Answers one of the versions of the protocol.
type Version = Box<dyn Fn(Request<Incoming>) -> Answer<'static>>;

/// Both versions of server reflection.
pub(super) struct Reflection {
    v1: Version,
    v1alpha: Version,
}

impl Reflection {
    /// `None` where the descriptors are wrong, which a test rules out.
    pub(super) fn new() -> Option<Self> {
        let v1 = builder().build_v1().ok()?;
        let v1alpha = builder().build_v1alpha().ok()?;
        Some(Self {
            v1: Box::new(move |request| Box::pin(served(v1.clone(), request))),
            v1alpha: Box::new(move |request| Box::pin(served(v1alpha.clone(), request))),
        })
    }

    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        match request.uri().path() {
            "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo" => (self.v1)(request).await,
            "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo" => {
                (self.v1alpha)(request).await
            }
            _ => Status::unimplemented("no such method").into_http(),
        }
    }
}

fn builder() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
        .register_file_descriptor_set(files())
}

/// What the service reads and writes, each message in the file where Envoy has it.
fn files() -> FileDescriptorSet {
    FileDescriptorSet {
        file: vec![
            well_known(
                "duration",
                vec![message(
                    "Duration",
                    vec![
                        field("seconds", 1, Type::Int64),
                        field("nanos", 2, Type::Int32),
                    ],
                )],
            ),
            well_known(
                "wrappers",
                vec![message(
                    "UInt64Value",
                    vec![field("value", 1, Type::Uint64)],
                )],
            ),
            well_known("struct", vec![structure(), value()]),
            header_value(),
            units(),
            descriptor(),
            service(),
        ],
    }
}

fn well_known(name: &str, messages: Vec<DescriptorProto>) -> FileDescriptorProto {
    file(
        &format!("google/protobuf/{name}.proto"),
        "google.protobuf",
        &[],
        messages,
    )
}

/// `google.protobuf.Struct`: a map of values.
fn structure() -> DescriptorProto {
    let mut pair = message(
        "FieldsEntry",
        vec![
            field("key", 1, Type::String),
            of("value", 2, ".google.protobuf.Value"),
        ],
    );
    pair.options = Some(MessageOptions {
        map_entry: Some(true),
        ..MessageOptions::default()
    });
    DescriptorProto {
        nested_type: vec![pair],
        ..message(
            "Struct",
            vec![list(of("fields", 1, ".google.protobuf.Struct.FieldsEntry"))],
        )
    }
}

/// `google.protobuf.Value`, as far as it is written.
fn value() -> DescriptorProto {
    message("Value", vec![field("string_value", 3, Type::String)])
}

fn header_value() -> FileDescriptorProto {
    let fields = vec![
        field("key", 1, Type::String),
        field("value", 2, Type::String),
    ];
    file(
        "envoy/config/core/v3/base.proto",
        "envoy.config.core.v3",
        &[],
        vec![message("HeaderValue", fields)],
    )
}

fn units() -> FileDescriptorProto {
    FileDescriptorProto {
        enum_type: vec![enumeration("RateLimitUnit", &UNITS)],
        ..file(
            "envoy/type/v3/ratelimit_unit.proto",
            "envoy.type.v3",
            &[],
            Vec::new(),
        )
    }
}

fn descriptor() -> FileDescriptorProto {
    const PATH: &str = ".envoy.extensions.common.ratelimit.v3.RateLimitDescriptor";
    let entry = message(
        "Entry",
        vec![
            field("key", 1, Type::String),
            field("value", 2, Type::String),
        ],
    );
    let limit = message(
        "RateLimitOverride",
        vec![
            field("requests_per_unit", 1, Type::Uint32),
            choice("unit", 2, ".envoy.type.v3.RateLimitUnit"),
        ],
    );
    let whole = DescriptorProto {
        nested_type: vec![entry, limit],
        ..message(
            "RateLimitDescriptor",
            vec![
                list(of("entries", 1, &format!("{PATH}.Entry"))),
                of("limit", 2, &format!("{PATH}.RateLimitOverride")),
                of("hits_addend", 3, ".google.protobuf.UInt64Value"),
                field("is_negative_hits", 4, Type::Bool),
            ],
        )
    };
    file(
        "envoy/extensions/common/ratelimit/v3/ratelimit.proto",
        "envoy.extensions.common.ratelimit.v3",
        &[
            "envoy/type/v3/ratelimit_unit.proto",
            "google/protobuf/wrappers.proto",
        ],
        vec![whole],
    )
}

fn service() -> FileDescriptorProto {
    const RESPONSE: &str = ".envoy.service.ratelimit.v3.RateLimitResponse";
    let request = message(
        "RateLimitRequest",
        vec![
            field("domain", 1, Type::String),
            list(of(
                "descriptors",
                2,
                ".envoy.extensions.common.ratelimit.v3.RateLimitDescriptor",
            )),
            field("hits_addend", 3, Type::Uint32),
        ],
    );
    let limit = DescriptorProto {
        enum_type: vec![enumeration("Unit", &UNITS)],
        ..message(
            "RateLimit",
            vec![
                field("name", 3, Type::String),
                field("requests_per_unit", 1, Type::Uint32),
                choice("unit", 2, &format!("{RESPONSE}.RateLimit.Unit")),
            ],
        )
    };
    let status = message(
        "DescriptorStatus",
        vec![
            choice("code", 1, &format!("{RESPONSE}.Code")),
            of("current_limit", 2, &format!("{RESPONSE}.RateLimit")),
            field("limit_remaining", 3, Type::Uint32),
            of("duration_until_reset", 4, ".google.protobuf.Duration"),
        ],
    );
    let response = DescriptorProto {
        nested_type: vec![limit, status],
        enum_type: vec![enumeration(
            "Code",
            &[("UNKNOWN", 0), ("OK", 1), ("OVER_LIMIT", 2)],
        )],
        ..message(
            "RateLimitResponse",
            vec![
                choice("overall_code", 1, &format!("{RESPONSE}.Code")),
                list(of("statuses", 2, &format!("{RESPONSE}.DescriptorStatus"))),
                list(of(
                    "response_headers_to_add",
                    3,
                    ".envoy.config.core.v3.HeaderValue",
                )),
                list(of(
                    "request_headers_to_add",
                    4,
                    ".envoy.config.core.v3.HeaderValue",
                )),
                field("raw_body", 5, Type::Bytes),
                of("dynamic_metadata", 6, ".google.protobuf.Struct"),
            ],
        )
    };
    let method = MethodDescriptorProto {
        name: Some("ShouldRateLimit".to_owned()),
        input_type: Some(".envoy.service.ratelimit.v3.RateLimitRequest".to_owned()),
        output_type: Some(RESPONSE.to_owned()),
        ..MethodDescriptorProto::default()
    };
    FileDescriptorProto {
        service: vec![ServiceDescriptorProto {
            name: Some("RateLimitService".to_owned()),
            method: vec![method],
            ..ServiceDescriptorProto::default()
        }],
        ..file(
            "envoy/service/ratelimit/v3/rls.proto",
            "envoy.service.ratelimit.v3",
            &[
                "envoy/config/core/v3/base.proto",
                "envoy/extensions/common/ratelimit/v3/ratelimit.proto",
                "google/protobuf/duration.proto",
                "google/protobuf/struct.proto",
            ],
            vec![request, response],
        )
    }
}

const UNITS: [(&str, i32); 8] = [
    ("UNKNOWN", 0),
    ("SECOND", 1),
    ("MINUTE", 2),
    ("HOUR", 3),
    ("DAY", 4),
    ("MONTH", 5),
    ("YEAR", 6),
    ("WEEK", 7),
];

fn file(
    name: &str,
    package: &str,
    imports: &[&str],
    messages: Vec<DescriptorProto>,
) -> FileDescriptorProto {
    FileDescriptorProto {
        name: Some(name.to_owned()),
        package: Some(package.to_owned()),
        dependency: imports.iter().map(|&import| import.to_owned()).collect(),
        message_type: messages,
        syntax: Some("proto3".to_owned()),
        ..FileDescriptorProto::default()
    }
}

fn message(name: &str, fields: Vec<FieldDescriptorProto>) -> DescriptorProto {
    DescriptorProto {
        name: Some(name.to_owned()),
        field: fields,
        ..DescriptorProto::default()
    }
}

fn enumeration(name: &str, values: &[(&str, i32)]) -> EnumDescriptorProto {
    let values = values
        .iter()
        .map(|(name, number)| EnumValueDescriptorProto {
            name: Some((*name).to_owned()),
            number: Some(*number),
            options: None,
        });
    EnumDescriptorProto {
        name: Some(name.to_owned()),
        value: values.collect(),
        ..EnumDescriptorProto::default()
    }
}

fn field(name: &str, number: i32, kind: Type) -> FieldDescriptorProto {
    FieldDescriptorProto {
        name: Some(name.to_owned()),
        number: Some(number),
        label: Some(Label::Optional.into()),
        r#type: Some(kind.into()),
        ..FieldDescriptorProto::default()
    }
}

/// A field that is a message.
fn of(name: &str, number: i32, message: &str) -> FieldDescriptorProto {
    FieldDescriptorProto {
        type_name: Some(message.to_owned()),
        ..field(name, number, Type::Message)
    }
}

/// A field that is an enumeration.
fn choice(name: &str, number: i32, enumeration: &str) -> FieldDescriptorProto {
    FieldDescriptorProto {
        type_name: Some(enumeration.to_owned()),
        ..field(name, number, Type::Enum)
    }
}

/// The same field, repeated.
fn list(field: FieldDescriptorProto) -> FieldDescriptorProto {
    FieldDescriptorProto {
        label: Some(Label::Repeated.into()),
        ..field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_descriptors_are_right() {
        assert!(Reflection::new().is_some());
    }
}
