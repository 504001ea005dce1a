//! Values of fields that were written before: what a policy says of itself is the same on every
//! response.

use std::cell::RefCell;
use std::sync::Arc;

use ::http::HeaderValue;
use aforo_core::Terms;
use smallvec::SmallVec;

use super::lasting::lasting;

/// How many values of a kind each thread keeps. One that falls on the place of another takes it.
const PLACES: usize = 64;

type Places<T> = RefCell<[Option<T>; PLACES]>;

thread_local! {
    static LISTS: Places<List> = const { RefCell::new([const { None }; PLACES]) };
    static TOLD: Places<Told> = const { RefCell::new([const { None }; PLACES]) };
}

/// `RateLimit-Policy` of these policies. It holds them, so that their addresses stay theirs.
struct List {
    terms: SmallVec<[Arc<Terms>; 4]>,
    value: HeaderValue,
}

/// What `X-RateLimit-Limit` and `X-RateLimit-Policy` say of a policy in a plan.
#[derive(Clone, Debug)]
pub(super) struct Constants {
    pub(super) limit: HeaderValue,
    /// `None` when no header can hold it.
    pub(super) policy: Option<HeaderValue>,
}

struct Told {
    terms: Arc<Terms>,
    capacity: u64,
    plan: Option<Box<str>>,
    constants: Constants,
}

/// The list of these policies, by `written` where it was not written before.
pub(super) fn list<'a>(
    terms: impl Iterator<Item = &'a Arc<Terms>> + Clone,
    written: impl FnOnce() -> Option<HeaderValue>,
) -> Option<HeaderValue> {
    let place = place(terms.clone());
    let is_same = |kept: &List| {
        let theirs = kept.terms.iter();
        theirs.len() == terms.clone().count() && theirs.zip(terms.clone()).all(same)
    };
    kept(&LISTS, place, is_same, |list| list.value.clone()).or_else(|| {
        let value = lasting(written()?);
        let list = List {
            terms: terms.clone().cloned().collect(),
            value: value.clone(),
        };
        keep(&LISTS, place, list);
        Some(value)
    })
}

/// What is constant of the policy that is told, by `written` where it was not written before.
pub(super) fn constants(
    terms: &Arc<Terms>,
    capacity: u64,
    plan: Option<&str>,
    written: impl FnOnce() -> Constants,
) -> Constants {
    let plans_place = plan.map_or(0, |plan| plan.as_ptr().addr());
    let place = place(std::iter::once(terms)).wrapping_add(plans_place >> 4) % PLACES;
    let is_same = |kept: &Told| {
        same((&kept.terms, terms)) && kept.capacity == capacity && kept.plan.as_deref() == plan
    };
    kept(&TOLD, place, is_same, |told| told.constants.clone()).unwrap_or_else(|| {
        let constants = written();
        let constants = Constants {
            limit: lasting(constants.limit),
            policy: constants.policy.map(lasting),
        };
        let told = Told {
            terms: Arc::clone(terms),
            capacity,
            plan: plan.map(Into::into),
            constants: constants.clone(),
        };
        keep(&TOLD, place, told);
        constants
    })
}

fn same((one, other): (&Arc<Terms>, &Arc<Terms>)) -> bool {
    Arc::ptr_eq(one, other)
}

/// A place by the addresses.
fn place<'a>(terms: impl Iterator<Item = &'a Arc<Terms>>) -> usize {
    let mixed = terms.fold(0_u64, |mixed, terms| {
        let address = Arc::as_ptr(terms).addr() as u64;
        (mixed.rotate_left(5) ^ address).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    });
    usize::try_from(mixed >> 32).unwrap_or(0) % PLACES
}

/// What is kept at a place, when it is what is looked for. A thread that ends keeps nothing.
fn kept<T, V>(
    places: &'static std::thread::LocalKey<Places<T>>,
    place: usize,
    is_same: impl FnOnce(&T) -> bool,
    value: impl FnOnce(&T) -> V,
) -> Option<V> {
    let found = places.try_with(|places| {
        let places = places.try_borrow().ok()?;
        let held = places.get(place)?.as_ref()?;
        is_same(held).then(|| value(held))
    });
    found.ok().flatten()
}

fn keep<T>(places: &'static std::thread::LocalKey<Places<T>>, place: usize, value: T) {
    // A thread that ends keeps nothing.
    let _ends = places.try_with(|places| {
        let mut places = places.try_borrow_mut().ok()?;
        places.get_mut(place)?.replace(value)
    });
}

#[cfg(test)]
mod tests {
    use aforo_core::PolicyName;

    use super::super::test_outcomes::{bucket, seconds};
    use super::*;

    fn terms(name: &str) -> Arc<Terms> {
        let quota = bucket(10, seconds(60), None);
        Arc::new(Terms::new(PolicyName::new(name).unwrap(), quota))
    }

    fn value(text: &'static str) -> Option<HeaderValue> {
        Some(HeaderValue::from_static(text))
    }

    #[test]
    fn a_list_is_written_once_and_only_for_the_same_policies_in_the_same_order() {
        let (one, two) = (terms("one"), terms("two"));
        let both = [&one, &two].into_iter();
        assert_eq!(list(both.clone(), || value("both")), value("both"));
        assert_eq!(list(both.clone(), || None), value("both"));
        assert_eq!(list([&two, &one].into_iter(), || None), None);
        assert_eq!(list([&one].into_iter(), || None), None);
        let twin = terms("one");
        assert_eq!(list([&twin, &two].into_iter(), || None), None);
    }

    #[test]
    fn more_policies_than_places_each_get_their_own() {
        let names: Vec<_> = (0..1_000).map(|n| terms(&format!("p{n}"))).collect();
        let text = |n: usize| HeaderValue::try_from(format!("value {n}")).ok();
        for _ in 0..2 {
            for (n, one) in names.iter().enumerate() {
                assert_eq!(list([one].into_iter(), || text(n)), text(n));
            }
        }
        let kept = LISTS.with_borrow(|places| places.iter().flatten().count());
        assert!((32..=PLACES).contains(&kept), "{kept}");
    }

    #[test]
    fn the_plan_and_the_capacity_belong_to_the_constants() {
        let one = terms("one");
        let told = |capacity, plan, text| {
            let written = || Constants {
                limit: HeaderValue::from(capacity),
                policy: Some(HeaderValue::from_static(text)),
            };
            constants(&one, capacity, plan, written).policy
        };
        assert_eq!(told(10, Some("pro"), "first"), value("first"));
        assert_eq!(told(10, Some("pro"), "again"), value("first"));
        assert_eq!(told(10, Some("free"), "free"), value("free"));
        assert_eq!(told(9, Some("pro"), "nine"), value("nine"));
        assert_eq!(told(9, None, "none"), value("none"));
        assert_eq!(told(9, None, "again"), value("none"));
    }
}
