package brief_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/brief"
)

// A truncated text has at most n bytes of the text and ends at a rune boundary.
func TestTextsAreTruncatedAtRuneBoundaries(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int
		want string
	}{
		{"", 0, ""},
		{"abc", 3, "abc"},
		{"abcd", 3, "abc..."},
		{"aöö", 2, "a..."},
		{"aöö", 3, "aö..."},
		{"ö", 1, "..."},
		{"\xff\xff\xff", 2, "\xff\xff..."},
	} {
		require.Equal(t, c.want, brief.Text(c.text, c.n), "%q, %d", c.text, c.n)
	}
}

// A truncated error wraps the original error.
func TestErrorsAreTruncated(t *testing.T) {
	err := errors.New("abcdef")
	require.Same(t, err, brief.Error(err, 6))
	cut := brief.Error(err, 3)
	require.EqualError(t, cut, "abc"+brief.Mark)
	require.ErrorIs(t, cut, err)
	require.NoError(t, brief.Error(nil, 3))
}
