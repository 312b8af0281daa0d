package jsonobj

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrShort says that the data ends before the value does. Nothing is wrong with
// what is there; read more and try again.
var ErrShort = errors.New("the data ends before the JSON value does")

// SyntaxError says that the data is not JSON, or is nested too deep to be read.
// Where the next value begins is not known.
type SyntaxError struct {
	// Offset of the byte at fault in the data.
	Offset int
	// Path of the field it is in, such as spec.containers[0].image; "" at the
	// top, and from functions that keep no account of fields.
	Path string
	// Msg says what is wrong.
	Msg string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not JSON: %s at byte %d%s", e.Msg, e.Offset, in(e.Path))
}

// ValueError says that the data is JSON but does not fit the Go type.
type ValueError struct {
	// Path of the field, such as spec.replicas; "" at the top.
	Path string
	// Want is what the Go type takes, and Got what the data has there.
	Want, Got string
	// Offset of the value in the data.
	Offset int
	// Err is the error of the type's own unmarshaling; else nil. The message
	// shows its beginning.
	Err error
}

func (e *ValueError) Error() string {
	s := fmt.Sprintf("%s does not fit %s at byte %d%s", e.Got, e.Want, e.Offset, in(e.Path))
	if e.Err != nil {
		s += ": " + beginning(e.Err.Error())
	}
	return s
}

// beginning is as much of the message of somebody else's error as is shown: it
// may quote the whole value.
func beginning(message string) string {
	const most = 200
	if len(message) <= most {
		return message
	}
	return strings.ToValidUTF8(message[:most], "") + "..."
}

// Unwrap is the error of the type's own unmarshaling.
func (e *ValueError) Unwrap() error { return e.Err }

func in(path string) string {
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

// defaultDepth is how deep arrays and objects nest if nobody says otherwise.
// Nobody can ask for more than deepest: every level takes stack.
const (
	defaultDepth = 512
	deepest      = 10_000
)

func depthOf(bound int) int {
	if bound <= 0 {
		return defaultDepth
	}
	return min(bound, deepest)
}

// errDeep is what validate says of a value that is nested too deep; the caller
// knows the bound.
var errDeep = errors.New("nested too deep")
