//! Path templates.

use super::{Template, TemplateError, covers, without_rest};

fn refused(text: &str) -> TemplateError {
    Template::parse(text).unwrap_err()
}

#[test]
fn a_parameter_is_read_by_its_place() {
    let template = Template::parse("/v1/{tenant}/files/{*rest}").unwrap();
    let names: Vec<&str> = template.parameters().collect();
    assert_eq!(names, ["tenant", "rest"]);
    let path = "/v1/acme/files/a/b%20c/";
    assert_eq!(template.parameter(path, "tenant"), Some("acme"));
    assert_eq!(template.parameter(path, "rest"), Some("a/b%20c/"));
    assert_eq!(template.parameter(path, "other"), None);
}

#[test]
fn an_empty_rest_is_no_parameter() {
    let template = Template::parse("/files/{*rest}").unwrap();
    assert_eq!(template.parameter("/files", "rest"), None);
    assert_eq!(template.parameter("/files/", "rest"), None);
    assert_eq!(template.parameter("/files/a", "rest"), Some("a"));
}

#[test]
fn what_can_match_no_path_is_an_error() {
    assert_eq!(refused("orders"), TemplateError::NoSlash);
    assert_eq!(refused(""), TemplateError::NoSlash);
    assert_eq!(refused("/a//b"), TemplateError::EmptySegment);
    assert_eq!(refused("//"), TemplateError::EmptySegment);
    for text in [
        "/a/../b", "/./b", "/%2e%2e", "/a;b", "/a?b", "/a#b", "/a b", "/%4",
    ] {
        let literal = matches!(refused(text), TemplateError::Literal(_));
        assert!(literal, "{text}");
    }
}

#[test]
fn braces_hold_a_whole_segment_and_a_name() {
    let partial = |text: &str| TemplateError::PartialSegment(text.to_owned());
    assert_eq!(refused("/{id}.json"), partial("{id}.json"));
    assert_eq!(refused("/a{id}"), partial("a{id}"));
    assert_eq!(refused("/{id"), partial("{id"));
    let name = |text: &str| TemplateError::Name(text.to_owned());
    for text in ["{}", "{*}", "{a b}", "{{a}}", "{**a}", "{a.b}"] {
        assert_eq!(refused(&format!("/{text}")), name(text));
    }
}

#[test]
fn the_rest_comes_last_and_names_are_told_apart() {
    let last = TemplateError::RestNotLast("{*rest}".to_owned());
    assert_eq!(refused("/{*rest}/a"), last);
    assert_eq!(refused("/{*rest}/"), last);
    let twice = TemplateError::NameTwice("id".to_owned());
    assert_eq!(refused("/{id}/{id}"), twice);
    assert_eq!(refused("/{id}/{*id}"), twice);
}

#[test]
fn another_routers_template_is_compared_with_a_path() {
    assert!(covers("/users/{id}", "/users/7"));
    assert!(covers("/files/{*rest}", "/files/a/b"));
    assert!(covers("/files/{*rest}", "/files"));
    assert!(covers("/", "/"));
    assert!(!covers("/users/{id}", "/users/"));
    assert!(!covers("/users/{id}", "/users/7/"));
    assert!(!covers("/users/{id}", "/7"));
    assert!(!covers("/users", "/users/7"));
    assert!(!covers("", "/"));
    assert_eq!(without_rest("/files/{*rest}"), "/files/");
    assert_eq!(without_rest("/files/{id}"), "/files/{id}");
}
