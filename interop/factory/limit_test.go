package factory

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// observed is a transport that keeps the context of the last request.
type observed struct {
	fails bool
	last  context.Context
}

func (o *observed) RoundTrip(r *http.Request) (*http.Response, error) {
	o.last = r.Context()
	if o.fails {
		return nil, errors.New("as planned")
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader("{}")), Request: r,
	}, nil
}

// getOver begins a request with a limit of an hour, in a context that does not end.
func getOver(t *testing.T, o *observed, options metav1.ListOptions) (io.ReadCloser, error) {
	t.Helper()
	client, err := rest.RESTClientFor(&rest.Config{
		Host: "http://server", APIPath: "/api", Transport: o,
		ContentConfig: rest.ContentConfig{GroupVersion: &corev1.SchemeGroupVersion, NegotiatedSerializer: scheme.Codecs.WithoutConversion()},
	})
	require.NoError(t, err)
	hour := int64(3600)
	options.TimeoutSeconds = &hour
	current := func() (direct, bool) { return direct{client: client}, true }
	return (&limited{client, current}).Get().Namespace("shop").Resource("pods").MaxRetries(0).
		VersionedParams(&options, scheme.ParameterCodec).Stream(context.WithoutCancel(t.Context()))
}

// The limit of a list includes the time to read it, and its timer ends with the request:
// when the body is closed, or when there is none.
func TestTheTimerOfAListEnds(t *testing.T) {
	over := &observed{}
	body, err := getOver(t, over, metav1.ListOptions{})
	require.NoError(t, err)
	_, limits := over.last.Deadline()
	require.True(t, limits, "the list has no limit")
	_, err = io.ReadAll(body)
	require.NoError(t, err)
	require.NoError(t, over.last.Err(), "the list ends while it is read")
	require.NoError(t, body.Close())
	require.ErrorIs(t, over.last.Err(), context.Canceled)

	over.fails = true
	_, err = getOver(t, over, metav1.ListOptions{})
	require.ErrorContains(t, err, "as planned")
	require.ErrorIs(t, over.last.Err(), context.Canceled)
}

// The server ends a watch at its limit. The client does not.
func TestAWatchHasNoLimit(t *testing.T) {
	over := &observed{}
	body, err := getOver(t, over, metav1.ListOptions{Watch: true})
	require.NoError(t, err)
	_, limits := over.last.Deadline()
	require.False(t, limits)
	require.NoError(t, body.Close())
}
