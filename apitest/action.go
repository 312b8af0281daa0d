package apitest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Action is what goes wrong: one of the functions that return one. The first
// kind happens when a request comes, before it is served, or in the middle of a
// watch with [AfterEvents]; the second kind changes an answer; the third changes
// the events of a watch.
type Action struct {
	// text says what happens; "" is the zero Action, which nobody made.
	text string
	// verb of the requests that it can be done to; "" is any, "!watch" all but
	// watches.
	verb string
	// last: no other fault can apply to the request.
	last bool

	// One of these is set.

	// act happens where the request, or the watch, has come to. It reports
	// whether this was the end of it.
	act func(*scene) bool
	// ask changes the request.
	ask func(*scene) *http.Request
	// rewrite changes the whole body of an answer.
	rewrite func([]byte) []byte
	// events makes what stands between a watch and the next frames.
	events func(*scene) disturbance
	// half: the answer stops in its middle, that of a watch by its events.
	half bool
}

// about is whether it can be done to a request.
func (a Action) about(verb string) bool {
	switch a.verb {
	case "":
		return true
	case "!watch":
		return verb != "watch"
	}
	return a.verb == verb
}

// scene is where an action happens.
type scene struct {
	*Injected
	out *answer
	r   *http.Request
	// next is the way of the events behind the action; nil if it is not in the
	// middle of a watch.
	next frames
	// endWatch ends a watch from outside of its goroutine.
	endWatch func()
}

// wait until the time has come (nil is never), or the fault is lifted. It
// reports false when the client has gone or the server is closed.
func (at *scene) wait(until <-chan time.Time) bool {
	select {
	case <-until:
	case <-at.lifted:
	case <-at.r.Context().Done():
		return false
	case <-at.server.alive.Done():
		return false
	}
	return true
}

// abort ends the answer without an end: net/http closes the connection, or
// resets the stream of HTTP/2.
func (at *scene) abort() { panic(http.ErrAbortHandler) }

// Fail answers with the Status that goes with a code, and with Retry-After
// unless that is 0. In the middle of a watch it is an ERROR event, and the end.
func Fail(code int, retryAfter time.Duration) Action {
	if code < 400 || code > 599 {
		panic(fmt.Sprintf("apitest: Fail(%d): an error has a code between 400 and 599", code))
	}
	seconds := int((retryAfter + time.Second - 1) / time.Second)
	err := genericError(code, seconds)
	action := FailWith(err)
	action.text = fmt.Sprintf("answer %d %s", code, err.ErrStatus.Reason)
	if seconds > 0 {
		action.text += fmt.Sprintf(", retry after %d s", seconds)
	}
	return action
}

// genericError is what the real server would say with a code.
func genericError(code, retryAfter int) *apierrors.StatusError {
	switch code {
	case http.StatusTooManyRequests:
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", retryAfter)
	case http.StatusGone:
		return apierrors.NewResourceExpired("The resourceVersion for the provided watch is too old.")
	case http.StatusUnauthorized:
		return apierrors.NewUnauthorized("Unauthorized")
	}
	err := apierrors.NewGenericServerResponse(code, "", schema.GroupResource{}, "", "", retryAfter, false)
	err.ErrStatus.Details = nil
	if retryAfter > 0 {
		err.ErrStatus.Details = apierrors.NewTooManyRequests("", retryAfter).ErrStatus.Details
	}
	return err
}

// FailWith answers with an error of apimachinery's api/errors, such as
// NewConflict, or any other as an internal one.
func FailWith(err error) Action {
	return Action{text: fmt.Sprintf("answer %q", err), last: true, act: func(at *scene) bool {
		if at.next == nil {
			fail(at.out, at.r, err)
			return true
		}
		if at.next.send(frame{kind: watch.Error, object: statusText(err)}) == nil {
			// The client may have gone: the watch ends all the same.
			_ = at.next.flush()
		}
		return true
	}}
}

// Respond answers with a body of any kind: what a proxy would say, or a server
// of something else. In the middle of a watch it is written into the stream.
func Respond(code int, contentType, body string) Action {
	if code < 200 || code > 999 {
		panic(fmt.Sprintf("apitest: Respond(%d): no answer has this code", code))
	}
	return Action{text: fmt.Sprintf("answer %d with %d bytes of %s", code, len(body), contentType), last: true, act: func(at *scene) bool {
		if at.next == nil {
			at.out.Header().Set("Content-Type", contentType)
			at.out.Header().Set("Content-Length", strconv.Itoa(len(body)))
			at.out.WriteHeader(code)
		}
		// The client may have gone: there is nobody else to tell.
		_, _ = at.out.Write([]byte(body))
		return true
	}}
}

// HTML answers 200 with a page, as a login portal or a broken proxy does.
func HTML() Action {
	action := Respond(http.StatusOK, "text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n")
	action.text = "answer 200 with a page of HTML"
	return action
}

// Reset resets the connection: on TCP the client reads ECONNRESET, for every
// request that is on it.
func Reset() Action {
	return Action{text: "reset the connection", last: true, act: func(at *scene) bool {
		if conn := connectionOf(at.r.Context()); conn != nil {
			conn.reset()
		}
		at.abort()
		return true
	}}
}

// Refuse ends the connections of all clients and listens no more: who
// connects is refused. The server listens again, at the same port, after some
// time, 0 being when the fault is lifted. [Server.Stop] does so without a
// request to begin with.
func Refuse(during time.Duration) Action {
	text := "refuse connections until lifted"
	if during > 0 {
		text = fmt.Sprintf("refuse connections for %s", during)
	}
	return Action{text: text, last: true, act: func(at *scene) bool {
		why := new(shutter)
		cut := at.server.door.keepShut(why)
		// First of all, for whoever is cut off may lift the fault at once.
		at.onLift(func() { at.server.door.letOpen(why) })
		cut()
		if during > 0 {
			time.AfterFunc(during, func() { at.server.door.letOpen(why) })
		}
		at.abort()
		return true
	}}
}

// Delay waits before the request is served. In the middle of a watch, all that
// follows comes later.
func Delay(by time.Duration) Action {
	return Action{text: fmt.Sprintf("delay by %s", by), act: func(at *scene) bool {
		timer := time.NewTimer(by)
		defer timer.Stop()
		return at.pause(timer.C)
	}}
}

// Silence gives no answer, while the connection stays up and other requests on
// it are answered. Once it is lifted, the request is served, and a watch sends
// what it kept back.
func Silence() Action {
	return Action{text: "go silent", act: func(at *scene) bool { return at.pause(nil) }}
}

// pause waits, and reports whether there is no one left to wait for.
func (at *scene) pause(until <-chan time.Time) (ended bool) {
	if at.wait(until) {
		return false
	}
	if at.next == nil {
		at.abort()
	}
	return true
}

// Freeze goes silent on the whole connection, for every request that is on it:
// no byte is read or written, pings of HTTP/2 stay without an answer, and yet it
// is not closed. Once it is lifted, everything goes on.
func Freeze() Action {
	return Action{text: "freeze the connection", act: func(at *scene) bool {
		conn := connectionOf(at.r.Context())
		if conn == nil {
			return at.pause(nil)
		}
		conn.freeze(at.lifted)
		return false
	}}
}

// Cut ends a watch as its timeout would: without an error, and on HTTP with a
// last chunk.
func Cut() Action {
	return Action{text: "end the stream", verb: "watch", last: true, act: func(at *scene) bool {
		if at.next == nil {
			at.out.Header().Set("Content-Type", "application/json")
			at.out.WriteHeader(http.StatusOK)
		}
		return true
	}}
}

// Break breaks the connection off in the middle: of the body of an answer, or of
// the next event of a watch.
func Break() Action {
	return Action{text: "break off in the middle", half: true, events: func(at *scene) disturbance {
		return &countdown{scene: at}
	}}
}

// Call has something else happen, which the text says in a few words: it is
// called on the goroutine of the request. The methods of Server fit:
//
//	apitest.Call("compact", (*apitest.Server).Compact)
//	apitest.Call("restart", (*apitest.Server).Restart)
//	apitest.Call("rotate the certificate", (*apitest.Server).RotateCertificate)
//
// Then the request is served, if its connection has survived it.
func Call(text string, f func(*Server)) Action {
	if text == "" {
		text = "call a function"
	}
	return Action{text: text, act: func(at *scene) bool {
		f(at.server)
		return false
	}}
}

// AfterEvents does to a watch what an action would do to a request, once it has
// sent n events, bookmarks not counted: 0 is before the first. What ends an
// answer ends the watch.
func AfterEvents(n int, do Action) Action {
	if do.text == "" {
		panic("apitest: AfterEvents: there is nothing to do")
	}
	if do.act == nil && !do.half {
		panic(fmt.Sprintf("apitest: AfterEvents(%d, %s): this happens to whole answers or to events, not at a point between them", n, do.text))
	}
	after := "after " + strconv.Itoa(n) + " events"
	switch {
	case n <= 0:
		after = "before the first event"
	case n == 1:
		after = "after 1 event"
	}
	return Action{text: after + ", " + do.text, verb: "watch", events: func(at *scene) disturbance {
		return &countdown{scene: at, left: n, act: do.act}
	}}
}
