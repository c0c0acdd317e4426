"""What runs outside the calls: mails, erasures, the comparison of a restored database, and the check of the clock."""
