package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
)

const (
	// maxPatchOperations is how many steps a JSON patch may have.
	maxPatchOperations = 10_000
	// maxCopiedBytes is by how much the copies of a JSON patch may make a
	// document grow: each can double it.
	maxCopiedBytes = 3 << 20
	// maxReadBytes is how much may be read to see that, which is seconds of work:
	// it is reached by copies by the thousand, or by dozens in a document that is
	// large itself.
	maxReadBytes = 16 << 20
)

// patchOperation is a step of a JSON patch, as far as fieldValidation goes.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// patchOperations are decoded by apimachinery's serializer, as a document is.
type patchOperations []patchOperation

func (*patchOperations) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (*patchOperations) DeepCopyObject() runtime.Object   { return &patchOperations{} }

// jsonPatch applies a patch of RFC 6902. With strict it looks for what stands
// in it twice, or means nothing.
func jsonPatch(before, patch []byte, strict bool) (after []byte, findings []error, err error) {
	if strict {
		if findings, err = decodePatch(patch, &patchOperations{}, true); err != nil {
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
		for i := range findings {
			findings[i] = fmt.Errorf("json patch %w", findings[i])
		}
	}
	steps, err := jsonpatch.DecodePatch(patch)
	if err != nil {
		return nil, nil, apierrors.NewBadRequest(err.Error())
	}
	if len(steps) > maxPatchOperations {
		return nil, nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
			"The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOperations, len(steps)))
	}
	if after, err = applySteps(before, steps); err != nil {
		return nil, nil, apierrors.NewGenericServerResponse(http.StatusUnprocessableEntity, "", schema.GroupResource{}, "", err.Error(), 0, false)
	}
	return after, findings, nil
}

// applySteps applies a patch, and looks every few copies at what has become of
// the document.
func applySteps(document []byte, steps jsonpatch.Patch) ([]byte, error) {
	var copied, read int
	for {
		n, copies := untilCopied(steps, len(document))
		if read += len(document); copies > 0 && read > maxReadBytes {
			return nil, fmt.Errorf("the copies need %d bytes to be read, more than %d", read, maxReadBytes)
		}
		next, err := steps[:n].Apply(document)
		if err != nil {
			return nil, err
		}
		if copies > 0 {
			if copied += max(0, len(next)-len(document)); copied > maxCopiedBytes {
				return nil, fmt.Errorf("the copies add %d bytes, more than %d", copied, maxCopiedBytes)
			}
		}
		if document, steps = next, steps[n:]; len(steps) == 0 {
			return document, nil
		}
	}
}

// untilCopied is how many steps can be applied to a document of a size before
// another look at it, and how many of them are copies: steps without any, or
// copies that even if each doubles it do not make too much of it.
func untilCopied(steps jsonpatch.Patch, size int) (n, copies int) {
	for n < len(steps) && steps[n].Kind() != "copy" {
		n++
	}
	if n > 0 {
		return n, 0
	}
	for n < len(steps) && steps[n].Kind() == "copy" && (n == 0 || size<<n <= 2*maxCopiedBytes) {
		n++
	}
	return n, n
}

// mergePatch applies a patch of RFC 7386.
func mergePatch(before, patch []byte, strict bool) (after []byte, findings []error, err error) {
	if strict {
		if findings, err = decodePatch(patch, &document{}, true); err != nil {
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
	}
	after, err = jsonpatch.MergePatch(before, patch)
	switch {
	case errors.Is(err, jsonpatch.ErrBadJSONPatch):
		err = apierrors.NewBadRequest(err.Error())
	case err != nil:
		err = plainError(err.Error())
	}
	return after, findings, err
}

// decodePatch reads a patch, and with strict finds what is wrong with it though
// it can be read.
func decodePatch(text []byte, into runtime.Object, strict bool) (findings []error, err error) {
	if !strict {
		return nil, realNames(utiljson.Unmarshal(text, into))
	}
	_, _, err = strictly.Decode(text, nil, into)
	if found, ok := runtime.AsStrictDecodingError(err); ok {
		return found.Errors(), nil
	}
	return nil, realNames(err)
}

// realNames calls Go types what they are called in the real server.
func realNames(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.NewReplacer(
		"apitest.patchOperations", "[]handlers.jsonPatchOp", "apitest.patchOperation", "handlers.jsonPatchOp",
		"apitest.document", "map[string]interface {}").Replace(err.Error()))
}
