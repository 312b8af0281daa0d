package jsonobj

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/thinformer/thinformer/internal/brief"
)

// ErrShort reports that the data ends before the value does. The data so far is
// valid; read more and try again.
var ErrShort = errors.New("the data ends before the JSON value does")

// SyntaxError reports that the data is not JSON, or nests too deeply. The start of
// the next value is unknown.
type SyntaxError struct {
	// Offset of the invalid byte in the data.
	Offset int
	// Path of the field, such as spec.containers[0].image; "" at the top level, and
	// from functions that do not track fields.
	Path string
	// Msg describes the error.
	Msg string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON: %s at byte %d%s", e.Msg, e.Offset, inPath(e.Path))
}

// ValueError reports that the data is JSON but does not fit the Go type.
type ValueError struct {
	// Path of the field, such as spec.replicas; "" at the top level.
	Path string
	// Want describes the values that the Go type accepts, and Got the value in the data.
	Want, Got string
	// Offset of the value in the data.
	Offset int
	// Err is the error of the type's own unmarshaling, or nil. The message has its
	// beginning.
	Err error
}

func (e *ValueError) Error() string {
	s := fmt.Sprintf("%s does not fit %s at byte %d%s", e.Got, e.Want, e.Offset, inPath(e.Path))
	if e.Err != nil {
		s += ": " + brief.Text(e.Err.Error(), maxQuotedLen)
	}
	return s
}

// Unwrap returns the error of the type's own unmarshaling.
func (e *ValueError) Unwrap() error { return e.Err }

// maxQuotedLen bounds the text of another package's error and of a kind in a message:
// both may repeat the whole value.
const maxQuotedLen = 200

func inPath(path string) string {
	if path == "" {
		return ""
	}
	return ", in " + path
}

func unexpected(data []byte, i int, instead string) error {
	return &SyntaxError{Offset: i, Msg: "unexpected " + strconv.QuoteRune(rune(data[i])) + " instead of " + instead}
}

func tooDeep(i, bound int) error {
	return &SyntaxError{Offset: i, Msg: fmt.Sprintf("nested deeper than %d levels", bound)}
}

// defaultDepth is the default bound of the nesting. A larger bound than maxMaxDepth
// cannot be set: every level takes stack.
const (
	defaultDepth = 512
	maxMaxDepth  = 10_000
)

func depthOf(bound int) int {
	if bound <= 0 {
		return defaultDepth
	}
	return min(bound, maxMaxDepth)
}

// errDeep is the error of validate for a value that nests too deeply; the caller
// knows the bound.
var errDeep = errors.New("nested too deep")
