"""Contact: detection, rows in the factor of the articulated inertia, and the solver (docs/concepts/contact.md)."""
