//! The Memcached store.
