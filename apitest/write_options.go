package apitest

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// writeOptions are what the query of a write asks for.
type writeOptions struct {
	// dryRun answers as if, and stores nothing.
	dryRun bool
	// manager is who the fields are entered under in managedFields: the
	// parameter, or else the beginning of the User-Agent.
	manager string
	// validation of fields: Ignore, Warn or Strict.
	validation string
}

func (c *call) createOptions() (writeOptions, error) {
	var given metav1.CreateOptions
	if err := metav1.Convert_url_Values_To_v1_CreateOptions(&c.query, &given, nil); err != nil {
		return writeOptions{}, apierrors.NewBadRequest(err.Error())
	}
	if err := invalidOptions("CreateOptions", validation.ValidateCreateOptions(&given)); err != nil {
		return writeOptions{}, err
	}
	return c.writeOptions(given.DryRun, given.FieldManager, given.FieldValidation), nil
}

func (c *call) updateOptions() (writeOptions, error) {
	var given metav1.UpdateOptions
	if err := metav1.Convert_url_Values_To_v1_UpdateOptions(&c.query, &given, nil); err != nil {
		return writeOptions{}, apierrors.NewBadRequest(err.Error())
	}
	if err := invalidOptions("UpdateOptions", validation.ValidateUpdateOptions(&given)); err != nil {
		return writeOptions{}, err
	}
	return c.writeOptions(given.DryRun, given.FieldManager, given.FieldValidation), nil
}

// writeOptions of parameters that are valid.
func (c *call) writeOptions(dryRun []string, manager, fieldValidation string) writeOptions {
	if manager == "" {
		manager = managerOf(c.r.UserAgent())
	}
	if fieldValidation == "" {
		fieldValidation = metav1.FieldValidationWarn
	}
	return writeOptions{dryRun: slices.Contains(dryRun, metav1.DryRunAll), manager: manager, validation: fieldValidation}
}

// managerOf is the name of a program by its User-Agent.
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

// invalidOptions is the answer to options that are not valid, nil if they are.
func invalidOptions(kind string, found field.ErrorList) error {
	if len(found) == 0 {
		return nil
	}
	return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: kind}, "", found)
}
