package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// The table is up to date with the sources of the API types.
func TestTableIsUpToDate(t *testing.T) {
	want, err := generate()
	require.NoError(t, err)
	got, err := os.ReadFile("../" + table)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "rewrite it with go -C e2e run ./tables")
}
