// Package client judges step 2: RESTClient and Request.
//
// A solution receives the address of a server and a transport, and returns a client. The
// checks look at the requests that the transport receives, and answer them. They verify
// the paths and queries, and that each response is either decoded or a recognizable error.
package client

import "github.com/thinformer/thinformer/learn/internal/judge"

// Step is step 2.
var Step = judge.Step{
	Number:    2,
	Name:      "client",
	Functions: []string{"NewClient"},
	Checks: []judge.Check{
		{Name: "a request has the path of its object", Run: paths},
		{Name: "a name is one segment of the path", Run: segments},
		{Name: "VersionedParams sets the query", Run: parameters},
		{Name: "Body is sent as JSON", Run: requestBody},
		{Name: "the first error is kept", Run: firstError},
		{Name: "a segment is set once", Run: setOnce},
		{Name: "requests are independent", Run: independent},
		{Name: "the context and the error of the transport are passed on", Run: contextAndErrors},
		{Name: "Into decodes a success", Run: into},
		{Name: "a field name is case-sensitive", Run: caseSensitive},
		{Name: "a Status is an error", Run: statusErrors},
		{Name: "a Status of failure with code 200 is an error", Run: statusWithSuccess},
		{Name: "an error without a Status is recognized", Run: withoutStatus},
		{Name: "a success that is not the JSON of an object is an error", Run: notJSON},
		{Name: "half a body is not decoded", Run: halfBody},
		{Name: "the body of a response is closed", Run: closeBodies},
		{Name: "Stream returns the body while it arrives", Run: stream},
		{Name: "objects of the API server", Run: server},
	},
	Show: show,
}
