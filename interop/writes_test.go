package interop_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/thinformer/thinformer/interop/objects"
	"github.com/thinformer/thinformer/rest"
)

// updates reads each object of the server and writes it back: the public types have every
// field that a server of their version sends, so no field is lost, and the object sent
// equals the object read.
func updates[T rest.Object](t *testing.T, s *server, url string) {
	for _, encoding := range []string{"application/json", protobufType} {
		for i, object := range s.objects {
			t.Run(fmt.Sprintf("update of %d from %s", i, encoding), func(t *testing.T) {
				client, err := rest.New(&rest.Config{Host: url, AcceptContentTypes: encoding})
				require.NoError(t, err)
				defer client.Close()
				resource := rest.NewResource[T](client, resourceOf(s.kind)).Namespace("shop")

				read, err := resource.Get(context.Background(), fmt.Sprintf("object-%d", i), metav1.GetOptions{})
				require.NoError(t, err)
				written, err := resource.Update(context.Background(), read, metav1.UpdateOptions{})
				require.NoError(t, err)
				mustEqual(t, read, written, nil)

				sent, _, err := scheme.Codecs.UniversalDeserializer().Decode(s.lastWrite(), nil, nil)
				require.NoError(t, err)
				require.Equal(t, s.kind, sent.GetObjectKind().GroupVersionKind())
				want := throughJSON(t, s.named(object, i))
				if !equality.Semantic.DeepEqual(want, sent) { // protobuf has no empty lists
					mustEqual(t, want, sent, nil)
				}
			})
		}
	}
}

// throughJSON returns the object as it is decoded: times in seconds, and without fields
// that JSON omits.
func throughJSON(t *testing.T, object runtime.Object) runtime.Object {
	t.Helper()
	data, err := objects.JSON(object)
	require.NoError(t, err)
	decoded, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	require.NoError(t, err)
	return decoded
}
