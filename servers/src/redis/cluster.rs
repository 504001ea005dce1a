//! A cluster of three masters.

use super::Redis;
use crate::{free_port, until};

/// Three servers that share the slots.
#[derive(Debug)]
pub struct Cluster {
    nodes: Vec<Redis>,
}

/// The slots of each node, about a third.
const SLOTS: [(&str, &str); 3] = [("0", "5460"), ("5461", "10922"), ("10923", "16383")];

impl Cluster {
    /// Three masters that know each other.
    pub fn start() -> Self {
        let nodes: Vec<Redis> = SLOTS.iter().map(|_| node()).collect();
        for (number, (node, (first, last))) in nodes.iter().zip(SLOTS).enumerate() {
            node.ask(&[
                "CLUSTER",
                "SET-CONFIG-EPOCH",
                &(number.saturating_add(1)).to_string(),
            ]);
            node.ask(&["CLUSTER", "ADDSLOTSRANGE", first, last]);
        }
        let cluster = Self { nodes };
        let [first, others @ ..] = cluster.nodes() else {
            panic!("three nodes");
        };
        for other in others {
            let port = other.port().to_string();
            let bus = bus_port(other);
            first.ask(&["CLUSTER", "MEET", "127.0.0.1", &port, &bus]);
        }
        for node in cluster.nodes() {
            until("a cluster", || {
                let info = node.ask(&["CLUSTER", "INFO"]);
                info.contains("cluster_state:ok") && info.contains("cluster_known_nodes:3")
            });
        }
        cluster
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[Redis] {
        &self.nodes
    }

    /// Its nodes, to kill and restart.
    pub fn nodes_mut(&mut self) -> &mut [Redis] {
        &mut self.nodes
    }

    /// Its address.
    pub fn url(&self) -> String {
        let nodes = self
            .nodes
            .iter()
            .map(|node| format!("127.0.0.1:{}", node.port()));
        format!("redis-cluster://{}", nodes.collect::<Vec<_>>().join(","))
    }

    /// Moves a slot, with its keys, to another node; each is named by its place.
    pub fn move_slot(&self, slot: u16, from: usize, to: usize) {
        let [from, to] = [from, to].map(|place| self.nodes.get(place).expect("a node"));
        let [from_id, to_id] = [from, to].map(|node| node.ask(&["CLUSTER", "MYID"]));
        let (from_id, to_id) = (from_id.trim(), to_id.trim());
        let slot = slot.to_string();
        to.ask(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", from_id]);
        from.ask(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", to_id]);
        let keys = from.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "1000"]);
        let port = to.port().to_string();
        for key in keys.lines().filter(|key| !key.is_empty()) {
            from.ask(&["MIGRATE", "127.0.0.1", &port, key, "0", "5000"]);
        }
        for node in [to, from] {
            node.ask(&["CLUSTER", "SETSLOT", &slot, "NODE", to_id]);
        }
    }

    /// Panics when a key of any node would stay for ever.
    pub fn every_key_ends(&self) {
        self.nodes.iter().for_each(Redis::every_key_ends);
    }
}

fn node() -> Redis {
    let bus = free_port().to_string();
    Redis::with(&[
        "--cluster-enabled",
        "yes",
        "--cluster-port",
        &bus,
        "--cluster-node-timeout",
        "5000",
    ])
}

fn bus_port(node: &Redis) -> String {
    let port = node.ask(&["CONFIG", "GET", "cluster-port"]);
    port.lines().last().unwrap_or_default().to_owned()
}
