"""What pages other than a report say first, and above their figures: each rule counts what it says; none says more."""
