package wire

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// Promise: callers can distinguish a response that cannot be decoded from an
// incomplete one, for which a retry may help.
func TestUndecodableBodiesAreDistinguishedFromIncompleteOnes(t *testing.T) {
	c := codecFor[metav1.PartialObjectMetadata](t, Options{})
	list := func(contentType string, body io.Reader) error {
		_, _, _, err := readList(t, c, contentType, body)
		return err
	}
	watch := func(contentType string, body io.Reader) error {
		_, _, err := readWatch(t, c, contentType, body)
		return err
	}
	for name, c := range map[string]struct {
		read              func(string, io.Reader) error
		contentType, body string
	}{
		"a list of JSON":      {list, JSONType, `{}`},
		"a list of protobuf":  {list, ProtobufType, "k8s\x00\x12\x00\x0a\x07\x12\x05Table"},
		"a watch of JSON":     {watch, JSONType, `{}`},
		"a watch of protobuf": {watch, protobufWatchType, "\x00\x00\x00\x00"},
	} {
		t.Run(name, func(t *testing.T) {
			var wrong interface{ Undecodable() bool }
			err := c.read(c.contentType, strings.NewReader(c.body))
			require.ErrorAs(t, err, &wrong)
			require.True(t, wrong.Undecodable())
			for _, broken := range []error{syscall.ECONNRESET, io.ErrUnexpectedEOF, context.DeadlineExceeded} {
				err := c.read(c.contentType, io.MultiReader(strings.NewReader(c.body[:1]), iotest.ErrReader(broken)))
				require.ErrorIs(t, err, broken)
				require.False(t, errors.As(err, &wrong), "%v", err)
			}
		})
	}
}

func TestAPanicOfTheBodyIsNotRecovered(t *testing.T) {
	c := codecFor[wiretest.Widget](t, Options{})
	l, err := c.ListReader(JSONType, panickingBody{})
	require.NoError(t, err)
	defer l.Close()
	require.Panics(t, func() { _, _ = l.Next() }, "only panics of Unmarshal methods are recovered")
}

type panickingBody struct{}

func (panickingBody) Read([]byte) (int, error) { panic(errors.New("the test makes it panic")) }
