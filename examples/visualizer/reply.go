package main

import (
	"errors"
	"fmt"
	"strings"
)

// A reply is the answer of a control, or the reason why it fails or is not available.
// The page has a text for each code in its languages, and fills in the values.
type reply struct {
	code   string
	values map[string]string
}

// replies are the English texts by code. Those of page/english.js are the same.
var replies = map[string]string{
	"created":     "{key} is created, version {version}",
	"changed":     "{key} is changed, version {version}",
	"deleted":     "{key} is deleted",
	"burst":       "{created} objects are created and {changed} changed in {ms} ms",
	"cleared":     "all objects of this program are deleted",
	"cut":         "the connection of the watch is cut",
	"silent":      "the watch delivers nothing, until speak or until the reflector replaces it, after {time} of silence",
	"speaks":      "the watch delivers again",
	"expires":     "the server answers 410 to the next watch",
	"expiresCut":  "the watch is cut, and the server answers 410 when it is resumed",
	"away":        "the server refuses connections, until back",
	"back":        "the server accepts connections",
	"restarted":   "the server has restarted: all connections are lost, the objects are kept",
	"slow":        "the handler {handler} takes {ms} ms for each notification",
	"panics":      "the handler {handler} panics at its next notification",
	"work":        "each reconcile takes {ms} ms longer",
	"fails":       "the next {n} reconciles fail and are retried with a growing delay",
	"noControl":   "there is no such control",
	"readOnly":    "not available: the program only reads this server; start it with -write to allow it to create, change and delete config maps",
	"cluster":     "not available: this is possible only with the embedded server; start the program without -kubeconfig",
	"noWatch":     "no watch is open",
	"noSource":    "there is no object that this program has created: use create first",
	"noObject":    "there is no object \"{name}\" in the store",
	"notOwn":      "\"{name}\" has no label {label}: it is not changed",
	"busy":        "a burst is running",
	"burstFailed": "after {count} changes: {error}",
	"notJSON":     "invalid parameter: the body is not a JSON object",
	"noParameter": "invalid parameter: this control has no \"{name}\"",
	"notText":     "invalid parameter: {name} is a text of at most {max} bytes",
	"notNumber":   "invalid parameter: {name} is an integer from {min} to {max}",
}

// say returns a reply with pairs of a name and a value.
func say(code string, pairs ...any) reply {
	r := reply{code: code}
	for i := 0; i+1 < len(pairs); i += 2 {
		if r.values == nil {
			r.values = map[string]string{}
		}
		r.values[fmt.Sprint(pairs[i])] = fmt.Sprint(pairs[i+1])
	}
	return r
}

// String returns the English text.
func (r reply) String() string {
	pairs := make([]string, 0, 2*len(r.values))
	for name, value := range r.values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...).Replace(replies[r.code])
}

// failure is an error with a reply.
type failure struct {
	reply
	cause error // nil if there is none
}

// fail returns an error with a reply. errors.Is finds its cause.
func fail(cause error, code string, pairs ...any) error {
	return &failure{say(code, pairs...), cause}
}

func (f *failure) Error() string { return f.String() }
func (f *failure) Unwrap() error { return f.cause }

// replyOf returns the reply of an error. It has no code if the error is that of the
// server or of the connection to it, whose text is not translated.
func replyOf(err error) reply {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.reply
	}
	return reply{}
}
