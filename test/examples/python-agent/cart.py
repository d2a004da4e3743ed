def total(entries):
    return sum(price for price, count in entries)
