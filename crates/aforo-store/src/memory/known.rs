//! The short way of a batch whose counters all exist: each is found once, and nothing is moved.

use aforo_core::{Algorithm, Assessment, Charge, Mode, OnDenial, Outcome, PrincipalKind, Stored};

use super::MemoryStore;
use super::lock::Held;
use super::seat::Seat;
use super::slot::{self, Slot};
use super::spot::Spot;
use crate::{Clock, Receipt, ReceiptLine};

/// Where a charge's entry stands, and when its region is taken: regions are taken in ascending
/// order, those of known principals first, as [`Locks`](super::locks::Locks) do.
#[derive(Clone, Copy)]
struct Turn<'t> {
    spot: Spot<'t>,
    order: u64,
}

/// The order of the first region of strangers. No table has so many regions.
const STRANGERS: u64 = 1 << 63;

/// An entry, and what the charge would do to it.
#[derive(Clone, Copy)]
struct Entry<'c, 't> {
    slot: &'t Slot,
    /// The number of the quota that wrote it, if that is to stay.
    number: Option<u32>,
    assessment: Assessment<'c>,
}

impl<C: Clock> MemoryStore<C> {
    /// Takes charges into `receipt`, which is empty, tells each outcome with its place, and says
    /// whether they were taken; or does nothing.
    #[inline]
    pub(super) fn charge_known<const N: usize>(
        &self,
        charges: &[&Charge<'_>],
        tell: &mut impl FnMut(usize, Outcome),
        receipt: &mut Receipt,
    ) -> Option<bool> {
        let charges = charges.as_array::<N>()?;
        let mut entries = [None; N];
        let taken = self.take_known(charges, &mut entries)?;
        for (place, (charge, entry)) in charges.iter().zip(&entries).enumerate() {
            let Some(Entry { assessment, .. }) = entry else {
                continue;
            };
            tell(place, assessment.outcome(taken));
            if taken && assessment.fits() {
                receipt.push(ReceiptLine {
                    place,
                    tag: charge.terms.tag(),
                    kind: charge.principal.kind,
                    partition: charge.partition,
                    quota: *charge.terms.quota(),
                    taken: assessment.taken(),
                    shared: false,
                });
            }
        }
        Some(taken)
    }

    /// Decides a batch and writes it: whether it was taken.
    #[inline]
    fn take_known<'c, 't, const N: usize>(
        &'t self,
        charges: &[&'c Charge<'_>; N],
        entries: &mut [Option<Entry<'c, 't>>; N],
    ) -> Option<bool> {
        // Early, since a look at the clock takes long and finding the entries need not wait for it.
        let now = self.clock.now();
        let mut turns = [None; N];
        for (turn, charge) in turns.iter_mut().zip(charges) {
            *turn = Some(self.turn(charge)?);
        }
        let held = take_turns(&turns);
        let mut taken = true;
        let mut counts_denials = false;
        for ((charge, turn), entry) in charges.iter().zip(&turns).zip(entries.iter_mut()) {
            let slot = turn.as_ref()?.spot.slot()?;
            let (number, state) = slot::read(slot);
            let before = self.quotas.get(number)?;
            let shape = before.shape();
            let stored = Stored { shape, state };
            let quota = charge.terms.quota();
            let assessment = quota.assess(Some(&stored), now, charge.edges.as_ref(), charge.cost);
            taken &= charge.mode == Mode::Shadow || assessment.fits();
            counts_denials |= charge.on_denial == OnDenial::Take;
            *entry = Some(Entry {
                slot,
                number: before.forgets_like(quota).then_some(number),
                assessment,
            });
        }
        if !taken && counts_denials {
            return None;
        }
        for (charge, entry) in charges.iter().zip(entries.iter()) {
            if let Some(entry) = entry {
                let after = entry.assessment.state(taken);
                match (entry.number, after) {
                    (Some(number), Some(after)) => slot::write(entry.slot, number, &after),
                    (Some(_), None) => {}
                    (None, after) => self.rewrite(entry.slot, charge.terms.quota(), after),
                }
            }
        }
        drop(held);
        Some(taken)
    }

    #[inline]
    fn turn(&self, charge: &Charge<'_>) -> Option<Turn<'_>> {
        if charge.terms.quota().algorithm() == Algorithm::SlidingLog {
            return None;
        }
        let Seat { kind, address, .. } = Seat::of(charge);
        let table = self.table(kind);
        let region = table.region_of(address);
        let first = match kind {
            PrincipalKind::Known => 0,
            PrincipalKind::Stranger => STRANGERS,
        };
        Some(Turn {
            spot: table.spot(region, address.tag)?,
            order: first.wrapping_add(region as u64),
        })
    }
}

/// Takes the regions, each once.
#[inline]
fn take_turns<'t, const N: usize>(turns: &[Option<Turn<'t>>; N]) -> [Option<Held<'t>>; N] {
    let mut held = [const { None }; N];
    let mut from = 0;
    for held in &mut held {
        let next = turns
            .iter()
            .flatten()
            .filter(|turn| turn.order >= from)
            .min_by_key(|turn| turn.order);
        let Some(next) = next else {
            break;
        };
        *held = Some(next.spot.hold());
        from = next.order.wrapping_add(1);
    }
    held
}
