package requestbody

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

	"github.com/thinformer/thinformer/apitest/internal/response"
)

const (
	// maxPatchOperations is the maximum number of operations in a JSON patch.
	maxPatchOperations = 10_000
	// maxCopiedBytes bounds how much the copies of a JSON patch may enlarge a
	// document. Each copy can double it.
	maxCopiedBytes = 3 << 20
	// maxReadBytes bounds how much is read to measure that, which is seconds of
	// work: thousands of copies, or dozens in a large document.
	maxReadBytes = 16 << 20
)

// patchOperation is an operation of a JSON patch, for fieldValidation.
type patchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	From  string `json:"from"`
	Value any    `json:"value"`
}

// patchOperations are decoded by apimachinery's serializer, like a document.
type patchOperations []patchOperation

func (*patchOperations) GetObjectKind() schema.ObjectKind { return schema.EmptyObjectKind }
func (*patchOperations) DeepCopyObject() runtime.Object   { return &patchOperations{} }

// JSONPatch applies a patch of RFC 6902. With strict, it reports duplicate and
// unknown fields.
func JSONPatch(before, patch []byte, strict bool) (after []byte, findings []error, err error) {
	if strict {
		if findings, err = DecodePatch(patch, &patchOperations{}, true); err != nil {
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

// applySteps applies a patch, and checks the size of the document every few
// copies.
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

// untilCopied returns how many operations to apply to a document of a size
// before its size is checked again, and how many of them are copies: operations
// without copies, or as many copies as stay within the limit even if each
// doubles the document.
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

// MergePatch applies a patch of RFC 7386.
func MergePatch(before, patch []byte, strict bool) (after []byte, findings []error, err error) {
	if strict {
		if findings, err = DecodePatch(patch, &Document{}, true); err != nil {
			return nil, nil, apierrors.NewBadRequest("error decoding patch: " + err.Error())
		}
	}
	after, err = jsonpatch.MergePatch(before, patch)
	switch {
	case errors.Is(err, jsonpatch.ErrBadJSONPatch):
		err = apierrors.NewBadRequest(err.Error())
	case err != nil:
		err = response.PlainError(err.Error())
	}
	return after, findings, err
}

// DecodePatch decodes a patch. With strict, it returns the findings of strict
// decoding.
func DecodePatch(text []byte, into runtime.Object, strict bool) (findings []error, err error) {
	if !strict {
		return nil, withRealTypeNames(utiljson.Unmarshal(text, into))
	}
	_, _, err = strictSerializer.Decode(text, nil, into)
	if found, ok := runtime.AsStrictDecodingError(err); ok {
		return found.Errors(), nil
	}
	return nil, withRealTypeNames(err)
}

// withRealTypeNames replaces the names of Go types by those of the real server.
func withRealTypeNames(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.NewReplacer(
		"requestbody.patchOperations", "[]handlers.jsonPatchOp", "requestbody.patchOperation", "handlers.jsonPatchOp",
		"requestbody.Document", "map[string]interface {}").Replace(err.Error()))
}
