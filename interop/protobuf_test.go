package interop_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/thinformer/thinformer/rest"
)

// answer is a transport with a fixed response.
type answer struct {
	contentType string
	body        []byte
}

func (a *answer) RoundTrip(request *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Request: request, ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {a.contentType}}, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)),
	}, nil
}

// FuzzProtobuf decodes any bytes: Get and apimachinery's serializer return equal pods, or
// both return an error.
func FuzzProtobuf(f *testing.F) {
	for _, entry := range corpus(f) {
		if entry.Protobuf != nil && len(entry.Protobuf) < 8<<10 {
			f.Add(entry.Protobuf)
		}
	}
	transport := &answer{contentType: protobufType}
	client, err := rest.New(&rest.Config{Host: "http://server", Transport: transport})
	require.NoError(f, err)
	f.Cleanup(client.Close)
	pods := rest.NewView[*corev1.Pod](client, resourceOf(corev1.SchemeGroupVersion.WithKind("Pod"))).Namespace("n")
	theirs := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	f.Fuzz(func(t *testing.T, data []byte) {
		transport.body = data
		got, ourErr := pods.Get(context.Background(), "p", metav1.GetOptions{})

		want := &corev1.Pod{}
		_, kind, theirErr := theirs.Decode(data, nil, want)
		switch {
		case theirErr == nil && *kind == corev1.SchemeGroupVersion.WithKind("Pod"):
			require.NoError(t, ourErr)
			want.TypeMeta = got.TypeMeta // from the envelope; the codec of theirs sets it
			mustEqual(t, want, got, nil)
		case ourErr == nil && !runtime.IsNotRegisteredError(theirErr):
			require.NoError(t, theirErr, "only ours accepts it")
		}
	})
}
