package pbobj

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type (
	plain        struct{ Name string }
	onlyMeta     struct{ metav1.ObjectMeta }
	onlyMetaPtr  struct{ *metav1.ObjectMeta }
	twoLevels    struct{ onlyMeta }
	twoLevelsPtr struct{ *onlyMetaPtr }
	both         struct {
		metav1.ObjectMeta
		metav1.LabelSelector
	}
	anInterface struct{ Unmarshaler }
	notAStruct  []byte
	ofASlice    struct{ notAStruct }
	small       struct{ n int }
	ofASmall    struct {
		_ int
		small
	}
	// Each of these types declares its own Unmarshal.
	own         struct{ metav1.ObjectMeta }
	ownDelegate struct{ metav1.ObjectMeta }
	ownPtr      struct{ *metav1.ObjectMeta }
	ownTwo      struct{ onlyMeta }
	ownBoth     struct {
		metav1.ObjectMeta
		metav1.LabelSelector
	}
	ownSmall       struct{ small }
	ownOfOwn       struct{ own }
	promotedOwn    struct{ ownTwo }
	wrongSignature struct{ metav1.ObjectMeta }
	// The Unmarshal of the embedded field has another signature, but hides the deeper
	// method.
	hides struct{ wrongSignature }
)

func (s notAStruct) Unmarshal([]byte) error { return nil }

// small is inlined into every wrapper around it.
func (s *small) Unmarshal(b []byte) error { s.n = len(b); return nil }

func (o *own) Unmarshal([]byte) error           { return nil }
func (o *ownDelegate) Unmarshal(b []byte) error { return o.ObjectMeta.Unmarshal(b) }
func (o *ownPtr) Unmarshal([]byte) error        { return nil }
func (o *ownTwo) Unmarshal([]byte) error        { return nil }
func (o *ownBoth) Unmarshal([]byte) error       { return nil }
func (o *ownSmall) Unmarshal(b []byte) error    { return o.small.Unmarshal(b) }
func (o *ownOfOwn) Unmarshal(b []byte) error    { return o.own.Unmarshal(b) }
func (w *wrongSignature) Unmarshal()            {}

// Promise: "T can unmarshal protobuf" means a method declared by T itself.
func TestDeclaresUnmarshal(t *testing.T) {
	for _, value := range []any{
		plain{}, onlyMeta{}, onlyMetaPtr{}, twoLevels{}, twoLevelsPtr{}, both{}, anInterface{}, ofASlice{},
		ofASmall{}, promotedOwn{}, wrongSignature{}, hides{}, notAStruct{},
	} {
		require.False(t, DeclaresUnmarshal(reflect.TypeOf(value)), "%T", value)
	}
	for _, value := range []any{
		own{}, ownDelegate{}, ownPtr{}, ownTwo{}, ownBoth{}, ownSmall{}, ownOfOwn{}, small{},
		metav1.ObjectMeta{}, metav1.PartialObjectMetadata{}, metav1.Status{}, metav1.PartialObjectMetadataList{},
	} {
		require.True(t, DeclaresUnmarshal(reflect.TypeOf(value)), "%T", value)
	}
}
