package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table is what the sources of the API types say, no more and no less.
func TestTheTableIsWrittenFromTheSources(t *testing.T) {
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../" + table)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "write it anew: go -C e2e run ./tables")
}
