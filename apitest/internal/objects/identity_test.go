package objects

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSameSeedGivesSameIdentities(t *testing.T) {
	require.Equal(t, NewIdentities(7).UID(), NewIdentities(7).UID())
	require.NotEqual(t, NewIdentities(7).UID(), NewIdentities(8).UID())
	require.Equal(t, NewIdentities(7).Name("job-"), NewIdentities(7).Name("job-"))
}

func TestGeneratedNameFitsDNSLabel(t *testing.T) {
	require.Len(t, NewIdentities(1).Name(strings.Repeat("a", 100)), 63)
}
