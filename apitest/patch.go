package apitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/registry"
	"github.com/thinformer/thinformer/apitest/internal/requestbody"
	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/apitest/internal/storage"
	"github.com/thinformer/thinformer/internal/kinds"
)

// patching is a request to patch an object.
type patching struct {
	*call
	params.WriteOptions
	kind types.PatchType
	text []byte
	// force takes over fields from other managers, in an apply.
	force bool
}

// patch serves a PATCH.
func (c *call) patch() error {
	kind, err := c.patchType()
	if err != nil {
		return err
	}
	if c.Name == "" {
		return apierrors.NewBadRequest("name must be provided")
	}
	text, err := c.readBody()
	if err != nil {
		return err
	}
	c.AbortIfDone()
	p := &patching{call: c, kind: kind, text: text}
	if p.WriteOptions, p.force, err = params.ParsePatch(c.query, c.r.UserAgent(), kind); err != nil {
		return err
	}
	applies := kind == types.ApplyYAMLPatchType
	if !applies && !json.Valid(text) {
		return apierrors.NewBadRequest("invalid JSON patch")
	}
	if c.Subresource == "scale" {
		return p.patchScale(applies)
	}
	m := mutation{WriteOptions: p.WriteOptions, tracked: applies, orCreate: applies && c.Subresource == ""}
	rec, created, err := c.mutate(m, p.next)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.respond(code, rec.Raw)
}

// patchScale patches an object through its scale.
func (p *patching) patchScale(applies bool) error {
	c := p.call
	m := mutation{WriteOptions: p.WriteOptions, tracked: applies}
	var rec *storage.Record
	var err error
	if applies {
		rec, _, err = c.mutate(m, p.applyScale)
	} else {
		p.call = c.withResource(scaleBodies)
		rec, err = c.mutateScale(m, func(scale map[string]any) (map[string]any, error) {
			if scale == nil { // replicas is not set yet
				scale = map[string]any{"kind": registry.ScaleKind.Kind, "apiVersion": registry.ScaleKind.GroupVersion().String(), "metadata": map[string]any{"name": c.Name}}
			}
			next, err := p.next(&unstructured.Unstructured{Object: scale})
			if err != nil {
				return nil, err
			}
			return next.Object, nil
		})
	}
	if err != nil {
		return err
	}
	return c.respondScale(rec)
}

// patchType returns the type of the patch by its content type.
func (c *call) patchType() (types.PatchType, error) {
	given, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";")
	known := []types.PatchType{types.JSONPatchType, types.MergePatchType}
	if c.resource.Builtin != nil {
		known = append(known, types.StrategicMergePatchType)
	}
	known = append(known, types.ApplyYAMLPatchType)
	if kind := types.PatchType(given); slices.Contains(known, kind) {
		return kind, nil
	}
	if c.resource.Builtin != nil {
		// The real server's router responds here, before the patch is read.
		refused := unsupportedMediaType("415: Unsupported Media Type").(*apierrors.StatusError)
		refused.ErrStatus.Details = &metav1.StatusDetails{}
		return "", refused
	}
	var names []string
	for _, kind := range known {
		names = append(names, string(kind))
	}
	return "", unsupportedMediaType("the body of the request was in an unknown format - accepted media types include: " + strings.Join(names, ", "))
}

// next returns the patched object. current is nil if there is none.
func (p *patching) next(current *unstructured.Unstructured) (next *unstructured.Unstructured, err error) {
	switch p.kind {
	case types.ApplyYAMLPatchType:
		next, err = p.apply(current)
	case types.StrategicMergePatchType:
		next, err = p.mergeStrategically(current)
	default:
		next, err = p.patchText(current)
	}
	if err != nil {
		return nil, err
	}
	if uid := next.GetUID(); current == nil && uid != "" {
		return nil, apierrors.NewConflict(p.GroupResource(), p.Name, fmt.Errorf(
			"uid mismatch: the provided object specified uid %s, and no existing object was found", uid))
	}
	if err := p.placeInNamespace(next); err != nil {
		return nil, err
	}
	return next, p.checkName(next)
}

// patchText patches the JSON of the object.
func (p *patching) patchText(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	before, err := json.Marshal(current.Object)
	if err != nil {
		return nil, fmt.Errorf("encode %s %s to patch it: %w", p.resource.Kind, p.Name, err)
	}
	patch := requestbody.MergePatch
	if p.kind == types.JSONPatchType {
		patch = requestbody.JSONPatch
	}
	after, findings, err := patch(before, p.text, p.Validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, err
	}
	p.AbortIfDone()
	content, _, _, err := requestbody.Decode(after, requestbody.JSON, false)
	if err != nil {
		return nil, invalidPatch(string(after), err)
	}
	return p.check(content, after, string(after), findings)
}

// mergeStrategically merges according to the types of a built-in kind.
func (p *patching) mergeStrategically(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	patch := requestbody.Document{}
	findings, err := requestbody.DecodePatch(p.text, &patch, p.Validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	p.AbortIfDone()
	shown := fmt.Sprintf("%+v", map[string]any(patch))
	merged, err := kinds.StrategicMerge(p.resource.GroupVersion().WithKind(p.resource.Kind), runtime.DeepCopyJSON(current.Object), patch)
	if known := apierrors.APIStatus(nil); err != nil && !errors.As(err, &known) {
		err = response.PlainError(err.Error())
	}
	if err != nil {
		return nil, err
	}
	return p.check(merged, nil, shown, findings)
}

// check converts the result of a patch to an object. text is its JSON, if the
// patch produced JSON; shown is the value for messages. Findings of
// fieldValidation become warnings or an error.
func (p *patching) check(content map[string]any, text []byte, shown string, findings []error) (*unstructured.Unstructured, error) {
	if err := p.checkPatchedKind(content, shown); err != nil {
		return nil, err
	}
	p.AbortIfDone()
	unknown, err := p.normalizeRead(content, text, false)
	if err != nil {
		return nil, invalidPatch(shown, err)
	}
	findings = append(findings, unknown...)
	switch {
	case len(findings) == 0:
	case p.Validation == metav1.FieldValidationStrict:
		return nil, invalidPatch(shown, runtime.NewStrictDecodingError(findings))
	case p.Validation == metav1.FieldValidationWarn:
		p.warnOf(findings)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// checkPatchedKind rejects patches that change the kind of the object.
func (p *patching) checkPatchedKind(content map[string]any, shown string) error {
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	want := p.resource.GroupVersion()
	got := schema.FromAPIVersionAndKind(version, kind)
	if got == want.WithKind(p.resource.Kind) {
		return nil
	}
	if p.resource.Builtin != nil {
		return invalidPatch(shown, p.otherKindError(got))
	}
	var found field.ErrorList
	if kind != p.resource.Kind {
		found = append(found, field.Invalid(field.NewPath("kind"), kind, "must be "+p.resource.Kind))
	}
	if version != want.String() {
		found = append(found, field.Invalid(field.NewPath("apiVersion"), version, "must be "+want.String()))
	}
	return apierrors.NewInvalid(got.GroupKind(), p.Name, found)
}

// invalidPatch returns the error for a patch whose result does not fit its
// kind.
func invalidPatch(shown string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), shown, err.Error())})
}
