package cart

type Entry struct{ Price, Count int }

func Total(entries []Entry) int {
	sum := 0
	for _, entry := range entries {
		sum += entry.Price * entry.Count
	}
	return sum
}
