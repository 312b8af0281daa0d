package wire

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/thinformer/thinformer/internal/wiretest"
)

// Promise: messages do not grow with the body.
func TestMessagesDoNotGrowWithTheBody(t *testing.T) {
	typed, untyped := codecFor[wiretest.Widget](t, Options{}), codecFor[unstructured.Unstructured](t, Options{})
	digits := strings.Repeat("9", 8<<20)
	text := `"` + digits + `"`
	for _, item := range []string{
		`{"spec":{"size":` + digits + `}}`, `{"spec":{"size":` + text + `}}`, `{"spec":{"extra":{` + text + `:1}}}`, `{"a":` + digits + `}`,
		`{"metadata":{"name":` + text + `,"namespace":` + text + `},"spec":{"size":"x"},"a":` + digits + `}`,
		`{"metadata":{"creationTimestamp":` + text + `}}`, `{"metadata":{"generation":-1` + digits + `}}`, `{` + text + `:{"a":tru}}`, text, digits,
	} {
		for _, c := range []*Codec{typed, untyped} {
			for contentType, body := range map[string]string{"list": listWithItems("[" + item + "]"), "watch": `{"type":"ADDED","object":` + item + "}"} {
				var lost []*ItemError
				var err error
				if contentType == "list" {
					_, lost, _, err = listOfJSON(t, c, body)
				} else {
					_, lost, err = watchOfJSON(t, c, body)
				}
				for _, one := range lost {
					require.Less(t, len(one.Error()), 1500, item[:20])
				}
				if err != nil {
					require.Less(t, len(err.Error()), 1500, item[:20])
				}
			}
			_, err := c.DecodeObject(JSONType, []byte(item))
			if err != nil {
				require.Less(t, len(err.Error()), 1500, item[:20])
			}
		}
	}
	for _, body := range []string{
		`{"kind":` + text + `}`, `{"metadata":{"remainingItemCount":` + digits + `}}`, `{"metadata":{"continue":` + digits + `}}`, digits, text, `{"apiVersion":` + digits + `}`,
	} {
		_, _, _, err := listOfJSON(t, typed, body)
		require.Error(t, err, body[:20])
		require.Less(t, len(err.Error()), 1500, body[:20])
	}
}

// echoingWidget returns its input in the error.
type echoingWidget struct {
	metav1.ObjectMeta `json:"metadata" protobuf:"bytes,1,opt,name=metadata"`
}

func (*echoingWidget) Unmarshal(data []byte) error {
	if bytes.Contains(data, []byte("panic")) {
		panic(string(data))
	}
	return fmt.Errorf("invalid: %s", data)
}

func TestMessagesDoNotGrowWithTheErrorOfUnmarshal(t *testing.T) {
	c := codecFor[echoingWidget](t, Options{})
	for _, name := range []string{"panic", "error"} {
		object := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name + strings.Repeat("9", 8<<20)}}
		_, err := c.DecodeObject(ProtobufType, wiretest.ProtobufEnvelope(t, "v1", "Widget", object))
		require.Error(t, err)
		shown, _, _ := strings.Cut(err.Error(), "\n") // without the stack
		require.Less(t, len(shown), 1000)
	}
}
