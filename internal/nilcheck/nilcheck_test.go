package nilcheck_test

import (
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/internal/nilcheck"
)

func TestNilValuesInInterfacesAreDetected(t *testing.T) {
	var reader *strings.Reader
	for _, v := range []any{
		nil, io.Reader(nil), reader, io.Reader(reader), map[string]int(nil), []byte(nil), (func())(nil), (chan int)(nil),
	} {
		require.True(t, nilcheck.IsNil(v), "%T", v)
	}
}

func TestOtherValuesAreNotNil(t *testing.T) {
	for _, v := range []any{
		0, "", false, struct{ p *int }{}, [1]*int{}, strings.NewReader(""), map[string]int{}, []byte{}, func() {}, make(chan int),
	} {
		require.False(t, nilcheck.IsNil(v), "%T", v)
	}
}

func TestPointersAreCheckedWithoutAllocation(t *testing.T) {
	p := &struct{ n int }{}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if nilcheck.IsNil(p) {
			panic(fmt.Sprint(p))
		}
	}))
}

type handlers []func()

func (h handlers) call() {
	for _, f := range h {
		f()
	}
}

func TestANilSliceHasMethodsThatWork(t *testing.T) {
	var none handlers
	none.call()
	require.False(t, nilcheck.IsNilPointer(none))
	require.False(t, nilcheck.IsNilPointer(map[string]int(nil)))
	var reader *strings.Reader
	for _, v := range []any{nil, reader, (func())(nil)} {
		require.True(t, nilcheck.IsNilPointer(v), "%T", v)
	}
}
