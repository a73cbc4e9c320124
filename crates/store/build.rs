//! `sqlx::migrate!` reads the migrations when the crate is compiled, so a changed one must compile it again.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
