package resourceversion_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/resourceversion"
)

func TestVersionsAreComparedAsNumbers(t *testing.T) {
	for _, c := range []struct {
		a, b  string
		order int
		ok    bool
	}{
		{"9", "10", -1, true},
		{"10", "9", 1, true},
		{"7", "7", 0, true},
		{"18446744073709551616", "18446744073709551615", 1, true}, // more than 64 bits
		{"", "", 0, true},
		{"abc", "abc", 0, true},
		{"", "1", 0, false},
		{"0", "1", 0, false},
		{"007", "7", 0, false},
		{"abc", "1", 0, false},
		{"-1", "1", 0, false},
	} {
		order, ok := resourceversion.Compare(c.a, c.b)
		require.Equal(t, c.ok, ok, "%q, %q", c.a, c.b)
		require.Equal(t, c.order, order, "%q, %q", c.a, c.b)
		require.Equal(t, c.ok && c.order < 0, resourceversion.IsOlder(c.a, c.b), "%q, %q", c.a, c.b)
		require.Equal(t, c.ok && c.order >= 0, resourceversion.IsAtLeast(c.a, c.b), "%q, %q", c.a, c.b)
	}
}

func TestOnlyNumbersHaveAnOrder(t *testing.T) {
	require.True(t, resourceversion.HasOrder("1"))
	require.True(t, resourceversion.HasOrder("18446744073709551616"))
	for _, version := range []string{"", "0", "01", "abc", "1a"} {
		require.False(t, resourceversion.HasOrder(version), "%q", version)
	}
}
