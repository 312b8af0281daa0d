package params

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// WriteOptions are the query parameters of a write.
type WriteOptions struct {
	// DryRun responds as usual, but stores nothing.
	DryRun bool
	// Manager is the field manager: the parameter, or else the beginning of the
	// User-Agent.
	Manager string
	// Validation is the fieldValidation: Ignore, Warn or Strict.
	Validation string
}

// ParseCreate parses the parameters of a create. agent is the User-Agent.
func ParseCreate(query url.Values, agent string) (WriteOptions, error) {
	var given metav1.CreateOptions
	if err := metav1.Convert_url_Values_To_v1_CreateOptions(&query, &given, nil); err != nil {
		return WriteOptions{}, apierrors.NewBadRequest(err.Error())
	}
	if err := InvalidError("CreateOptions", validation.ValidateCreateOptions(&given)); err != nil {
		return WriteOptions{}, err
	}
	return newWriteOptions(agent, given.DryRun, given.FieldManager, given.FieldValidation), nil
}

// ParseUpdate parses the parameters of an update.
func ParseUpdate(query url.Values, agent string) (WriteOptions, error) {
	var given metav1.UpdateOptions
	if err := metav1.Convert_url_Values_To_v1_UpdateOptions(&query, &given, nil); err != nil {
		return WriteOptions{}, apierrors.NewBadRequest(err.Error())
	}
	if err := InvalidError("UpdateOptions", validation.ValidateUpdateOptions(&given)); err != nil {
		return WriteOptions{}, err
	}
	return newWriteOptions(agent, given.DryRun, given.FieldManager, given.FieldValidation), nil
}

// ParsePatch parses the parameters of a patch. force takes over fields from
// other managers, in an apply.
func ParsePatch(query url.Values, agent string, kind types.PatchType) (o WriteOptions, force bool, err error) {
	var given metav1.PatchOptions
	if err := metav1.Convert_url_Values_To_v1_PatchOptions(&query, &given, nil); err != nil {
		return o, false, apierrors.NewBadRequest(err.Error())
	}
	if err := InvalidError("PatchOptions", validation.ValidatePatchOptions(&given, kind)); err != nil {
		return o, false, err
	}
	o = newWriteOptions(agent, given.DryRun, given.FieldManager, given.FieldValidation)
	return o, given.Force != nil && *given.Force, nil
}

// newWriteOptions returns the options of valid parameters.
func newWriteOptions(agent string, dryRun []string, manager, fieldValidation string) WriteOptions {
	if manager == "" {
		manager = managerOf(agent)
	}
	if fieldValidation == "" {
		fieldValidation = metav1.FieldValidationWarn
	}
	return WriteOptions{DryRun: slices.Contains(dryRun, metav1.DryRunAll), Manager: manager, Validation: fieldValidation}
}

// managerOf returns the field manager for a User-Agent.
func managerOf(agent string) string {
	name, _, _ := strings.Cut(agent, "/")
	var kept strings.Builder
	for _, r := range name {
		if !unicode.IsPrint(r) {
			continue
		}
		if kept.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		kept.WriteRune(r)
	}
	return kept.String()
}

// InvalidError returns the error for invalid options, nil if there are none.
func InvalidError(kind string, found field.ErrorList) error {
	if len(found) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", found)
}
