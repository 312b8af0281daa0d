package apitest

import (
	"encoding/json"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/apitest/internal/objects"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/kinds"
	"github.com/thinformer/thinformer/rest"
)

// scaleBodies is the resource for decoding bodies of kind Scale.
var scaleBodies = &registry.Resource{
	Info: registry.Info{ResourceInfo: rest.ResourceInfo{
		GroupVersionResource: registry.ScaleKind.GroupVersion().WithResource("scales"), Kind: registry.ScaleKind.Kind, Namespaced: true,
	}},
	Builtin: new(kinds.Resource),
}

// getScale responds with the scale of an object.
func (c *call) getScale() error {
	found, err := c.found()
	if err != nil {
		return err
	}
	return c.respondScale(found)
}

func (c *call) respondScale(rec *storage.Record) error {
	obj, err := c.decode(rec)
	if err != nil {
		return err
	}
	scale, err := c.resource.ScaleOf(obj)
	if err != nil {
		return err
	}
	text, err := json.Marshal(scale)
	if err != nil {
		return err
	}
	return c.respond(http.StatusOK, text)
}

// updateScale serves a PUT of a scale.
func (c *call) updateScale() error {
	options, err := params.ParseUpdate(c.query, c.r.UserAgent())
	if err != nil {
		return err
	}
	scale, err := c.withResource(scaleBodies).readObject(options)
	if err != nil {
		return err
	}
	if err := c.placeInNamespace(scale); err != nil {
		return err
	}
	if err := c.checkName(scale); err != nil {
		return err
	}
	rec, err := c.mutateScale(mutation{WriteOptions: options, uid: scale.GetUID()}, func(map[string]any) (map[string]any, error) {
		return scale.Object, nil
	})
	if err != nil {
		return err
	}
	return c.respondScale(rec)
}

// withResource returns the call for a body of another kind.
func (c *call) withResource(res *registry.Resource) *call {
	other := *c
	other.resource = res
	return &other
}

// mutateScale changes an object through its scale, like mutate: f returns the
// next scale for the current one.
func (c *call) mutateScale(m mutation, f func(scale map[string]any) (map[string]any, error)) (*storage.Record, error) {
	rec, _, err := c.mutate(m, func(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
		scale, err := c.resource.ScaleOf(current)
		if err != nil && !c.resource.Custom {
			return nil, err
		}
		if scale, err = f(scale); err != nil {
			return nil, err
		}
		return c.rescaled(current, scale)
	})
	return rec, err
}

// rescaled returns the object with the replicas of a scale.
func (c *call) rescaled(current *unstructured.Unstructured, scale map[string]any) (*unstructured.Unstructured, error) {
	replicas, err := replicasOf(scale)
	if err != nil {
		return nil, c.withResource(scaleBodies).invalidObject(err)
	}
	if replicas < 0 && c.resource.Custom {
		return nil, c.invalid(current, field.ErrorList{field.Invalid(field.NewPath(c.resource.Scale.SpecReplicas), replicas, "should be a non-negative integer")})
	}
	if replicas < 0 {
		return nil, apierrors.NewInvalid(registry.ScaleKind.GroupKind(), c.Name, field.ErrorList{
			field.Invalid(field.NewPath("spec", "replicas"), replicas, "must be greater than or equal to 0")})
	}
	next := current.DeepCopy()
	objects.SetAt(next.Object, int64(replicas), registry.PathOf(c.resource.Scale.SpecReplicas)...)
	if version, _ := objects.Metadata(scale)["resourceVersion"].(string); version != "" {
		next.SetResourceVersion(version)
	}
	if uid, _ := objects.Metadata(scale)["uid"].(string); uid != "" {
		next.SetUID(types.UID(uid))
	}
	return next, nil
}

// replicasOf returns the replicas of a scale. The Go types have the names that
// messages of the real server contain.
func replicasOf(scale map[string]any) (int32, error) {
	type ScaleSpec struct {
		Replicas int32 `json:"replicas"`
	}
	var typed struct {
		Spec ScaleSpec `json:"spec"`
	}
	err := objects.DecodeInto(map[string]any{"spec": scale["spec"]}, &typed)
	return typed.Spec.Replicas, err
}
