package cart

import "testing"

func TestTotal(t *testing.T) {
	cases := []struct {
		name    string
		entries []Entry
		want    int
	}{
		{"adds up [CART-1]", []Entry{{250, 2}, {100, 1}}, 600},
		{"charges nothing for an empty cart [CART-2]", nil, 0},
	}
	for _, one := range cases {
		t.Run(one.name, func(t *testing.T) {
			if got := Total(one.entries); got != one.want {
				t.Errorf("got %d, want %d", got, one.want)
			}
		})
	}
}
