def total(entries):
    return sum(price * count for price, count in entries)
