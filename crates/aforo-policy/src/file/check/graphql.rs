//! `[graphql]`.

use std::sync::Arc;

use super::Checker;
use crate::file::raw::{IntrospectionWord, MeasureWord, RawGraphql};
use crate::file::read::{Field, List, Located};
use crate::graphql::{Gauge, Introspection, Measure, Registered, Weights, WeightsError};

impl Checker<'_> {
    /// What GraphQL requests cost.
    pub(super) fn gauge(&mut self) -> Arc<Gauge> {
        let Some(raw) = self.file.graphql.get() else {
            return Arc::new(Gauge::default());
        };
        let routes = self.file.routes.get().into_iter().flat_map(List::iter);
        let mut sources = routes.filter_map(|route| route.cost_from.get());
        if !sources.any(|from| !from.graphql.is_absent()) {
            self.findings
                .add(raw.place, "no route takes GraphQL requests")
                .help("write cost_from = { graphql = true } at the route that does");
        }
        let mut gauge = self.typed(raw);
        self.check_weights(raw, &gauge);
        if let Some(most) = self.at_least_1(&raw.max_depth) {
            gauge = gauge.with_max_depth(u32::try_from(most).unwrap_or(u32::MAX));
        }
        let most = self.at_least_1(&raw.max_cost);
        if let Some(most) = most {
            gauge = gauge.with_max_cost(most);
        }
        if let Some(cost) = self.at_least_1(&raw.persisted_cost).or(most) {
            gauge = gauge.with_persisted_cost(cost);
        }
        if let Some(size) = self.at_least_1(&raw.list_size) {
            gauge = gauge.with_list_size(size);
        }
        if let Some(names) = raw.list_arguments.get() {
            gauge = gauge.with_list_arguments(names.iter().map(|one| one.value.clone()).collect());
        }
        if let Some(IntrospectionWord::Deny) = raw.introspection.get().map(|word| word.value) {
            gauge = gauge.with_introspection(Introspection::Deny);
        }
        gauge = gauge.with_measure(match raw.measure.get().map(|word| word.value) {
            Some(MeasureWord::Field) => Measure::Field,
            Some(MeasureWord::Type) => Measure::Type,
            Some(MeasureWord::Greater) | None => Measure::Greater,
        });
        Arc::new(gauge.with_registered(self.registered(raw)))
    }

    /// A gauge with weights and types.
    fn typed(&mut self, raw: &RawGraphql) -> Gauge {
        let mut weights = Weights::default();
        for (name, units) in raw.weights.get().into_iter().flat_map(|all| &all.0) {
            if let Err(error) = weights.insert(name.as_str(), units.value) {
                self.findings.add(units.at, error.to_string());
            }
        }
        let Some(sdl) = raw.sdl.get() else {
            return Gauge::default().with_weights(weights);
        };
        match Gauge::default().with_sdl(&sdl.text, weights) {
            Ok(gauge) => gauge,
            Err(error) => {
                let message = format!("`{}` cannot be used: {error}", sdl.path.written);
                self.findings
                    .add(sdl.path.at, message)
                    .expected("a whole schema in GraphQL's schema language, without `extend`");
                Gauge::default()
            }
        }
    }

    /// Weights of nothing would be weights of a spelling mistake. With a schema that cannot be read
    /// nothing can be said of them.
    fn check_weights(&mut self, raw: &RawGraphql, gauge: &Gauge) {
        let unread = raw.sdl.is_wrong() || raw.sdl.get().is_some() && !gauge.is_typed();
        if unread {
            return;
        }
        for (name, _) in raw.weights.get().into_iter().flat_map(|all| &all.0) {
            let Err(error) = gauge.check_weight(name.as_str()) else {
                continue;
            };
            let fault = self.findings.add(name.at, error.to_string());
            if error == WeightsError::Untyped {
                fault.help("name the schema as `sdl`, or leave out the type");
            }
        }
    }

    fn registered(&mut self, raw: &RawGraphql) -> Registered {
        let mut registered = Registered::default();
        let files = raw.persisted.get().map(|all| &all.0);
        for file in files.into_iter().flat_map(List::iter) {
            if let Err(error) = registered.read(&file.text) {
                let message = format!("`{}` is {error}", file.path.written);
                self.findings.add(file.path.at, message);
            }
        }
        registered
    }

    fn at_least_1(&mut self, field: &Field<Located<u64>>) -> Option<u64> {
        let number = field.get()?;
        if number.value == 0 {
            self.findings
                .add(number.at, "0 lets nothing through")
                .expected("1 or more");
        }
        Some(number.value)
    }
}
