package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An event may arrive between the end of the first list and its output. The list is
// then printed before the event, once.
func TestEventBeforeTheFirstListIsPrinted(t *testing.T) {
	var out strings.Builder
	shown := newTable(&out, nil, false)
	one, two := config(t, "default", "one", ""), config(t, "default", "two", "")
	shown.OnAdd(one, true)
	shown.OnAdd(two, false)
	require.Equal(t, 1, shown.begin())
	require.Equal(t, "EVENT      NAME\n           one\nADDED      two\n", out.String())
}
