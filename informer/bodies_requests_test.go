package informer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A request is shared only with readers of the same epoch: after a restore of the server
// its version says nothing about the versions that follow, and its result may be from
// before.
func TestAReaderDoesNotShareARequestOfAnotherEpoch(t *testing.T) {
	var requests bodyRequests[int]
	first, isNew, err := requests.join("shop/tls", bodyVersion{"1000", 0})
	require.NoError(t, err)
	require.True(t, isNew)
	same, isNew, err := requests.join("shop/tls", bodyVersion{"999", 0})
	require.NoError(t, err)
	require.False(t, isNew)
	require.Same(t, first, same)

	second, isNew, err := requests.join("shop/tls", bodyVersion{"50", 1})
	require.NoError(t, err)
	require.True(t, isNew, "the versions have gone back")
	requests.finish("shop/tls", first, bodyRead[int]{}, nil)
	same, isNew, err = requests.join("shop/tls", bodyVersion{"50", 1})
	require.NoError(t, err)
	require.False(t, isNew, "the end of the old request does not affect the new one")
	require.Same(t, second, same)
	requests.finish("shop/tls", second, bodyRead[int]{}, nil)
}
