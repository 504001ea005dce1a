//! Who is calling: the client address and the consumer behind a credential.
