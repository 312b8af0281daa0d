package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An event may come between the end of the first list and the moment at which it
// is to be shown: then the list is shown before the event, once, and counts.
func TestAnEventIsFasterThanTheFirstList(t *testing.T) {
	var out strings.Builder
	shown := newTable(&out, nil, false)
	one, two := config(t, "default", "one", ""), config(t, "default", "two", "")
	shown.OnAdd(one, true)
	shown.OnAdd(two, false)
	require.Equal(t, 1, shown.begin())
	require.Equal(t, "EVENT      NAME\n           one\nADDED      two\n", out.String())
}
