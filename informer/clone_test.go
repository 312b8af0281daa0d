package informer_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/thinformer/thinformer/informer"
)

func TestCloneOfNilIsNil(t *testing.T) {
	require.Nil(t, informer.Clone[*withDeepCopy](nil))
	require.Nil(t, informer.Clone[any](nil))
	require.Nil(t, informer.Clone[map[string]int](nil))
}

type (
	// withDeepCopy declares DeepCopy, which sets Copied.
	withDeepCopy struct {
		metav1.ObjectMeta
		Copied bool
	}
	// withDeepCopyObject declares only the methods of runtime.Object.
	withDeepCopyObject struct {
		metav1.TypeMeta
		metav1.ObjectMeta
		Copied bool
	}
)

func (o *withDeepCopy) DeepCopy() *withDeepCopy {
	return &withDeepCopy{ObjectMeta: *o.ObjectMeta.DeepCopy(), Copied: true}
}

func (o *withDeepCopyObject) DeepCopyObject() runtime.Object {
	return &withDeepCopyObject{ObjectMeta: *o.ObjectMeta.DeepCopy(), Copied: true}
}

func TestCloneCallsDeclaredDeepCopy(t *testing.T) {
	require.True(t, informer.Clone(&withDeepCopy{}).Copied)
	require.True(t, informer.Clone(&withDeepCopyObject{}).Copied)
	require.True(t, informer.Clone[runtime.Object](&withDeepCopyObject{}).(*withDeepCopyObject).Copied)
}

type (
	// embedsDeepCopy and embedsDeepCopyObject have the promoted methods of an embedded
	// field, which copy only that field.
	embedsDeepCopy struct {
		metav1.PartialObjectMetadata
		More []string
	}
	embedsDeepCopyObject struct {
		metav1.ObjectMeta
		runtime.Object
		More []string
	}
	// embedsGeneric has a promoted DeepCopy that returns the embedding type.
	embedsGeneric struct {
		deepCopyOf[*embedsGeneric]
		metav1.ObjectMeta
		More []string
	}
	deepCopyOf[T any] struct{ Of T }
)

func (d *deepCopyOf[T]) DeepCopy() T { panic("a promoted DeepCopy was called") }

func TestCloneDoesNotCallPromotedDeepCopy(t *testing.T) {
	newMeta := func() metav1.ObjectMeta { return metav1.ObjectMeta{Labels: map[string]string{"a": "b"}} }
	newMore := func() []string { return []string{"more"} }
	for name, create := range map[string]func() any{
		"embedded DeepCopy":            func() any { return &embedsDeepCopy{metav1.PartialObjectMetadata{ObjectMeta: newMeta()}, newMore()} },
		"nil embedded DeepCopyObject":  func() any { return &embedsDeepCopyObject{newMeta(), nil, newMore()} },
		"embedded DeepCopyObject":      func() any { return &embedsDeepCopyObject{newMeta(), &withDeepCopyObject{}, newMore()} },
		"embedded DeepCopy of this T":  func() any { return &embedsGeneric{deepCopyOf[*embedsGeneric]{}, newMeta(), newMore()} },
		"declared DeepCopy, unwrapped": func() any { return &metav1.PartialObjectMetadata{ObjectMeta: newMeta()} },
		"unstructured":                 func() any { return &unstructured.Unstructured{Object: map[string]any{"a": []any{"b"}}} },
	} {
		t.Run(name, func(t *testing.T) {
			original := create()
			clone := informer.Clone(original)
			require.Equal(t, original, clone)
			modifyAll(clone)
			require.Equal(t, create(), original, "the clone shares state with the original")
		})
	}
	require.IsType(t, &embedsDeepCopy{}, informer.Clone[runtime.Object](&embedsDeepCopy{}))
	typed := &embedsGeneric{More: newMore()}
	require.Equal(t, typed, informer.Clone(typed))
}

// modifyAll modifies the labels, the field More and the content of an object.
func modifyAll(obj any) {
	if o, ok := obj.(*unstructured.Unstructured); ok {
		o.Object["a"].([]any)[0] = "changed"
		return
	}
	obj.(metav1.Object).GetLabels()["a"] = "changed"
	if more := reflect.ValueOf(obj).Elem().FieldByName("More"); more.IsValid() {
		more.Index(0).SetString("changed")
	}
}
