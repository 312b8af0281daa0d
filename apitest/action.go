package apitest

import (
	"fmt"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/thinformer/thinformer/apitest/internal/fault"
	"github.com/thinformer/thinformer/apitest/internal/listener"
	"github.com/thinformer/thinformer/apitest/internal/response"
)

// Action is the effect of a fault, returned by functions such as [Fail]. An
// action runs at the start of a request, before the request is served, or in
// the middle of a watch (with [AfterEvents]). Other actions change a response,
// or the events of a watch.
type Action struct {
	// text describes the action; "" is the zero Action, which is invalid.
	text string
	// verb of the requests to which it applies; "" is any, "!watch" is any but
	// watch.
	verb string
	// last: no later fault applies to the request.
	last bool

	// Exactly one of these is set, except that WrongKind has two.

	// act runs at the current point of the request or watch. It reports whether it
	// has ended the request.
	act func(*faultPoint) bool
	// rewriteRequest changes the request.
	rewriteRequest func(*faultPoint) *http.Request
	// rewriteBody changes the whole body of a response.
	rewriteBody func([]byte) []byte
	// events returns the fault.Events between a watch and the next frames.
	events func(*faultPoint) fault.Events
	// truncate: the response ends in the middle; for a watch, events does that.
	truncate bool
}

// appliesTo reports whether the action applies to a verb.
func (a Action) appliesTo(verb string) bool {
	switch a.verb {
	case "":
		return true
	case "!watch":
		return verb != "watch"
	}
	return a.verb == verb
}

// faultPoint is the point of a request at which an action runs.
type faultPoint struct {
	*fault.Point
	server *Server
}

// at returns the act of an action as a function without arguments, nil if there is
// none.
func (a Action) at(p *faultPoint) func() bool {
	if a.act == nil {
		return nil
	}
	return func() bool { return a.act(p) }
}

// Fail responds with the Status of a code, and with Retry-After unless it is 0.
// In the middle of a watch it sends an ERROR event and ends the watch.
func Fail(code int, retryAfter time.Duration) Action {
	if code < 400 || code > 599 {
		panic(fmt.Sprintf("apitest: Fail(%d): the code of an error is between 400 and 599", code))
	}
	seconds := int((retryAfter + time.Second - 1) / time.Second)
	err := genericError(code, seconds)
	action := FailWith(err)
	action.text = fmt.Sprintf("respond with %d %s", code, err.ErrStatus.Reason)
	if seconds > 0 {
		action.text += fmt.Sprintf(", retry after %d s", seconds)
	}
	return action
}

// genericError returns the error that the real server sends with a code.
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

// FailWith responds with an error of apimachinery's api/errors, such as
// NewConflict. Any other error becomes an internal error.
func FailWith(err error) Action {
	return Action{text: fmt.Sprintf("respond with %q", err), last: true, act: func(at *faultPoint) bool {
		if at.Next == nil {
			response.WriteError(at.Out, at.Request, err)
			return true
		}
		if at.Next.Send(response.Frame{Type: watch.Error, Object: response.StatusText(err)}) == nil {
			// The watch ends even if the client has disconnected.
			_ = at.Next.Flush()
		}
		return true
	}}
}

// Respond responds with an arbitrary body, like a proxy or another kind of
// server. In the middle of a watch, the body is written into the stream.
func Respond(code int, contentType, body string) Action {
	if code < 200 || code > 999 {
		panic(fmt.Sprintf("apitest: Respond(%d): the code of a response is between 200 and 999", code))
	}
	return Action{text: fmt.Sprintf("respond with %d and %d bytes of %s", code, len(body), contentType), last: true, act: func(at *faultPoint) bool {
		if at.Next == nil {
			at.Out.Header().Set("Content-Type", contentType)
			at.Out.Header().Set("Content-Length", strconv.Itoa(len(body)))
			at.Out.WriteHeader(code)
		}
		// An error means that the client has disconnected.
		_, _ = at.Out.Write([]byte(body))
		return true
	}}
}

// HTML responds 200 with an HTML page, like a login portal or a broken proxy.
func HTML() Action {
	action := Respond(http.StatusOK, "text/html; charset=utf-8", "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body>Please sign in.</body></html>\n")
	action.text = "respond with 200 and a page of HTML"
	return action
}

// Reset resets the connection. On TCP the client reads ECONNRESET, for every
// request on that connection.
func Reset() Action {
	return Action{text: "reset the connection", last: true, act: func(at *faultPoint) bool {
		if conn := listener.ConnectionOf(at.Request.Context()); conn != nil {
			conn.Reset()
		}
		at.Abort()
		return true
	}}
}

// Refuse ends the connections of all clients and stops listening: new
// connections are refused. The server listens again, at the same port, after a
// duration; 0 means when the fault is removed. [Server.Stop] does the same
// without a request.
func Refuse(during time.Duration) Action {
	text := "refuse connections until removed"
	if during > 0 {
		text = fmt.Sprintf("refuse connections for %s", during)
	}
	return Action{text: text, last: true, act: func(at *faultPoint) bool {
		suspended := new(listener.Suspension)
		closeConnections := at.server.listener.Suspend(suspended)
		// Registered before the connections are closed, since their clients may
		// remove the fault at once.
		at.OnRemove(func() { at.server.listener.Resume(suspended) })
		closeConnections()
		if during > 0 {
			time.AfterFunc(during, func() { at.server.listener.Resume(suspended) })
		}
		at.Abort()
		return true
	}}
}

// Delay waits before the request is served. In the middle of a watch, it delays
// all later events.
func Delay(delay time.Duration) Action {
	return Action{text: fmt.Sprintf("delay by %s", delay), act: func(at *faultPoint) bool {
		timer := time.NewTimer(delay)
		defer timer.Stop()
		return at.Pause(timer.C)
	}}
}

// Silence sends no response, while the connection stays open and serves its
// other requests. When the fault is removed, the request is served, and a watch
// sends the events that were held back.
func Silence() Action {
	return Action{text: "go silent", act: func(at *faultPoint) bool { return at.Pause(nil) }}
}

// Freeze stops the whole connection, for all its requests: no byte is read or
// written and HTTP/2 pings get no response, but the connection is not closed.
// When the fault is removed, the connection continues.
func Freeze() Action {
	return Action{text: "freeze the connection", act: func(at *faultPoint) bool {
		conn := listener.ConnectionOf(at.Request.Context())
		if conn == nil {
			return at.Pause(nil)
		}
		conn.Freeze(at.Done())
		return false
	}}
}

// Cut ends a watch as its timeout does: without an error and, in HTTP/1.1, with
// a final chunk.
func Cut() Action {
	return Action{text: "end the stream", verb: "watch", last: true, act: func(at *faultPoint) bool {
		if at.Next == nil {
			at.Out.Header().Set("Content-Type", "application/json")
			at.Out.WriteHeader(http.StatusOK)
		}
		return true
	}}
}

// Break aborts the response in the middle of its body or, for a watch, in the
// middle of the next event.
func Break() Action {
	return Action{text: "break off in the middle", truncate: true, events: func(at *faultPoint) fault.Events {
		return fault.NewCountdown(at.Point, 0, nil)
	}}
}

// Call calls a function on the goroutine of the request. The text describes the
// function in a few words. Methods of Server can be used:
//
//	apitest.Call("compact", (*apitest.Server).Compact)
//	apitest.Call("restart", (*apitest.Server).Restart)
//	apitest.Call("rotate the certificate", (*apitest.Server).RotateCertificate)
//
// After the call, the request is served if its connection still exists.
func Call(text string, f func(*Server)) Action {
	if text == "" {
		text = "call a function"
	}
	return Action{text: text, act: func(at *faultPoint) bool {
		f(at.server)
		return false
	}}
}
