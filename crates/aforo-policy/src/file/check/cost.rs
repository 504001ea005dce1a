//! What a request's cost is read from.

use super::Checker;
use super::partition::is_pointer;
use crate::CostFrom;
use crate::file::raw::{RawCostFrom, RawRoute};
use crate::file::read::{Field, Located, Text};
use crate::file::source::Location;

/// The sources, as the file writes them.
const SOURCES: &str = "one of body_items, query, graphql and header";

impl Checker<'_> {
    /// `cost_from` of a route.
    pub(super) fn cost_from(&mut self, route: &RawRoute) -> Option<CostFrom> {
        let raw = route.cost_from.get()?;
        if let Some(cost) = route.cost.get() {
            self.findings
                .add(cost.at, "a route has either `cost` or `cost_from`")
                .help("leave out `cost`; per_item, default and estimate say units, too");
        }
        let sources = [
            raw.body_items.is_absent(),
            raw.query.is_absent(),
            raw.header.is_absent() || !raw.graphql.is_absent(),
            raw.graphql.is_absent(),
        ];
        let mut given = sources.into_iter().filter(|absent| !absent);
        if given.next().is_none() {
            self.findings
                .add(raw.place, "`cost_from` names nothing to read the cost from")
                .expected(SOURCES);
            return None;
        }
        if given.next().is_some() {
            self.findings
                .add(raw.place, "a cost is read from one place")
                .expected(SOURCES);
            return None;
        }
        self.body_items(raw)
            .or_else(|| self.query(raw))
            .or_else(|| self.graphql(raw))
            .or_else(|| self.response_header(raw))
    }

    fn graphql(&mut self, raw: &RawCostFrom) -> Option<CostFrom> {
        let flag = raw.graphql.get()?;
        self.lacks(&raw.per_item, "per_item", "graphql");
        self.lacks(&raw.max, "max", "graphql");
        self.lacks(&raw.default, "default", "graphql");
        self.lacks(&raw.estimate, "estimate", "graphql");
        let header = raw.header.get().and_then(|text| self.header_name(text));
        if !flag.value {
            self.findings
                .add(flag.at, "a cost that is not read from the query")
                .help("leave `cost_from` out");
        }
        #[cfg(feature = "graphql")]
        return Some(CostFrom::GraphQl {
            gauge: self.gauge.clone(),
            header,
        });
        #[cfg(not(feature = "graphql"))]
        {
            let _ = header;
            self.findings
                .add(flag.at, "this program was built without GraphQL")
                .help("build it with the feature `graphql`");
            None
        }
    }

    fn body_items(&mut self, raw: &RawCostFrom) -> Option<CostFrom> {
        let pointer = raw.body_items.get()?;
        self.lacks(&raw.default, "default", "body_items");
        self.lacks(&raw.estimate, "estimate", "body_items");
        if !pointer.as_str().is_empty() && !is_pointer(pointer.as_str()) {
            let message = format!("`{}` is not a JSON pointer", pointer.written);
            self.findings
                .add(pointer.at, message)
                .expected("a pointer such as /orders, or \"\" for the whole body");
        }
        Some(CostFrom::BodyItems {
            pointer: pointer.value.clone(),
            per_item: self.units(&raw.per_item),
            max: raw.max.get().map(|_| self.units(&raw.max)),
        })
    }

    fn query(&mut self, raw: &RawCostFrom) -> Option<CostFrom> {
        let name = raw.query.get()?;
        self.lacks(&raw.estimate, "estimate", "query");
        self.named(name, "a query parameter");
        if raw.max.is_absent() {
            self.findings.add(name.at, "`query` without `max`").help(
                "say as max how many the application serves at once, however many are asked for",
            );
        }
        let (max, default) = (self.units(&raw.max), self.units(&raw.default));
        if default > max && raw.max.get().is_some() {
            let at = raw.default.get().map_or(raw.place, |default| default.at);
            self.findings
                .add(at, format!("{default} is more than `max`"))
                .expected(format!("1 to {max}"));
        }
        Some(CostFrom::Query {
            name: name.value.clone(),
            per_item: self.units(&raw.per_item),
            max,
            default,
        })
    }

    fn response_header(&mut self, raw: &RawCostFrom) -> Option<CostFrom> {
        let text = raw.header.get()?;
        self.lacks(&raw.per_item, "per_item", "header");
        self.lacks(&raw.max, "max", "header");
        self.lacks(&raw.default, "default", "header");
        Some(CostFrom::ResponseHeader {
            name: self.header_name(text)?,
            estimate: self.units(&raw.estimate),
        })
    }

    fn header_name(&mut self, text: &Text) -> Option<http::HeaderName> {
        let name = text.as_str().parse().ok();
        if name.is_none() {
            let message = format!("`{}` is not a header's name", text.written);
            self.findings
                .add(text.at, message)
                .expected("a name such as x-request-cost");
        }
        name
    }

    fn named(&mut self, name: &Text, what: &str) {
        if name.as_str().is_empty() {
            self.findings.add(name.at, format!("{what} has a name"));
        }
    }

    /// A number of units or items: 1 when it is left out.
    fn units(&mut self, field: &Field<Located<u64>>) -> u64 {
        let Some(units) = field.get() else {
            return 1;
        };
        if units.value == 0 {
            self.findings
                .add(units.at, "0 makes requests free")
                .expected("1 or more")
                .help("exempt = true leaves a route uncounted");
        }
        units.value
    }

    /// Notes a field that the source has no use for.
    fn lacks(&mut self, field: &Field<Located<u64>>, name: &str, source: &str) {
        let at: Option<Location> = field.get().map(|field| field.at);
        if let Some(at) = at {
            self.findings
                .add(at, format!("`{name}` means nothing beside `{source}`"))
                .help("leave it out");
        }
    }
}
