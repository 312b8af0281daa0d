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
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/thinformer/thinformer/internal/kinds"
)

// patching is one request to patch an object.
type patching struct {
	*call
	writeOptions
	kind types.PatchType
	text []byte
	// force takes fields from other managers, in an apply.
	force bool
}

// patch answers a PATCH.
func (c *call) patch() error {
	kind, err := c.patchType()
	if err != nil {
		return err
	}
	if c.name == "" {
		return apierrors.NewBadRequest("name must be provided")
	}
	text, err := c.readBody()
	if err != nil {
		return err
	}
	p := &patching{call: c, kind: kind, text: text}
	if err := p.readOptions(); err != nil {
		return err
	}
	applies := kind == types.ApplyYAMLPatchType
	if c.subresource == "scale" {
		return p.patchScale(applies)
	}
	m := mutation{writeOptions: p.writeOptions, tracked: applies, orCreate: applies && c.subresource == ""}
	rec, created, err := c.mutate(m, p.next)
	if err != nil {
		return err
	}
	code := http.StatusOK
	if created {
		code = http.StatusCreated
	}
	return c.answer(code, rec.raw)
}

// patchScale patches an object by its scale.
func (p *patching) patchScale(applies bool) error {
	c := p.call
	m := mutation{writeOptions: p.writeOptions, tracked: applies}
	var rec *record
	var err error
	if applies {
		rec, _, err = c.mutate(m, p.applyScale)
	} else {
		p.call = c.reading(scaleBodies)
		rec, err = c.mutateScale(m, func(scale map[string]any) (map[string]any, error) {
			if scale == nil { // there is no number of replicas yet
				scale = map[string]any{"kind": scaleKind.Kind, "apiVersion": scaleKind.GroupVersion().String(), "metadata": map[string]any{"name": c.name}}
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
	return c.answerScale(rec)
}

// patchType is what the content type says the body is.
func (c *call) patchType() (types.PatchType, error) {
	given, _, _ := strings.Cut(c.r.Header.Get("Content-Type"), ";")
	known := []types.PatchType{types.JSONPatchType, types.MergePatchType}
	if c.resource.builtin != nil {
		known = append(known, types.StrategicMergePatchType)
	}
	known = append(known, types.ApplyYAMLPatchType)
	if kind := types.PatchType(given); slices.Contains(known, kind) {
		return kind, nil
	}
	if c.resource.builtin != nil {
		// The real server's router answers here, before the patch is looked at.
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

func (p *patching) readOptions() error {
	var given metav1.PatchOptions
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&p.query, &given, nil); err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	if err := invalidOptions("PatchOptions", validation.ValidatePatchOptions(&given, p.kind)); err != nil {
		return err
	}
	p.force = given.Force != nil && *given.Force
	p.writeOptions = p.call.writeOptions(given.DryRun, given.FieldManager, given.FieldValidation)
	return nil
}

// next is the object as the patch makes it of current, nil for none.
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
		return nil, apierrors.NewConflict(p.GroupResource(), p.name, fmt.Errorf(
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
		return nil, fmt.Errorf("encode %s %s to patch it: %w", p.resource.Kind, p.name, err)
	}
	patch := mergePatch
	if p.kind == types.JSONPatchType {
		patch = jsonPatch
	}
	after, findings, err := patch(before, p.text, p.validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, err
	}
	content, _, _, err := decodeBody(after, encodedJSON, false)
	if err != nil {
		return nil, invalidPatch(string(after), err)
	}
	return p.check(content, after, string(after), findings)
}

// mergeStrategically merges by the types of a built-in kind.
func (p *patching) mergeStrategically(current *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	patch := document{}
	findings, err := decodePatch(p.text, &patch, p.validation != metav1.FieldValidationIgnore)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	shown := fmt.Sprintf("%+v", map[string]any(patch))
	merged, err := kinds.StrategicMerge(p.resource.GroupVersion().WithKind(p.resource.Kind), runtime.DeepCopyJSON(current.Object), patch)
	if known := apierrors.APIStatus(nil); err != nil && !errors.As(err, &known) {
		err = plainError(err.Error())
	}
	if err != nil {
		return nil, err
	}
	return p.check(merged, nil, shown, findings)
}

// check makes an object of what a patch resulted in; text is its JSON if it was
// made as such, and shown is how it, or the patch, stands in messages. What fieldValidation finds in both becomes
// warnings, or the error.
func (p *patching) check(content map[string]any, text []byte, shown string, findings []error) (*unstructured.Unstructured, error) {
	if err := p.checkPatchedKind(content, shown); err != nil {
		return nil, err
	}
	unknown, err := p.tidyRead(content, text, false)
	if err != nil {
		return nil, invalidPatch(shown, err)
	}
	findings = append(findings, unknown...)
	switch {
	case len(findings) == 0:
	case p.validation == metav1.FieldValidationStrict:
		return nil, invalidPatch(shown, runtime.NewStrictDecodingError(findings))
	case p.validation == metav1.FieldValidationWarn:
		p.warnOf(findings)
	}
	return &unstructured.Unstructured{Object: content}, nil
}

// checkPatchedKind refuses patches that make another kind of the object.
func (p *patching) checkPatchedKind(content map[string]any, shown string) error {
	kind, _ := content["kind"].(string)
	version, _ := content["apiVersion"].(string)
	want := p.resource.GroupVersion()
	got := schema.FromAPIVersionAndKind(version, kind)
	if got == want.WithKind(p.resource.Kind) {
		return nil
	}
	if p.resource.builtin != nil {
		return invalidPatch(shown, p.otherKindError(got))
	}
	var found field.ErrorList
	if kind != p.resource.Kind {
		found = append(found, field.Invalid(field.NewPath("kind"), kind, "must be "+p.resource.Kind))
	}
	if version != want.String() {
		found = append(found, field.Invalid(field.NewPath("apiVersion"), version, "must be "+want.String()))
	}
	return apierrors.NewInvalid(got.GroupKind(), p.name, found)
}

// invalidPatch is the answer to a patch whose result is no object of its kind.
func invalidPatch(shown string, err error) error {
	return apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), shown, err.Error())})
}
