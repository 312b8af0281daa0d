package apitest

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/thinformer/thinformer/apitest/internal/fault"
	"github.com/thinformer/thinformer/apitest/internal/params"
	"github.com/thinformer/thinformer/apitest/internal/storage"
)

// TruncateJSON sends half of a response as a complete body: it is invalid JSON,
// and HTTP reports no error. With [Break], the connection is lost instead.
func TruncateJSON() Action {
	return Action{text: "send half of the JSON", verb: "!watch", rewriteBody: func(body []byte) []byte {
		return body[:len(body)/2]
	}}
}

// WrongKind responds with another kind of object than the requested one. In a
// watch, each object is of that kind.
func WrongKind() Action {
	return Action{
		text: "respond with another kind", rewriteBody: fault.OtherKind,
		events: func(at *faultPoint) fault.Events { return fault.NewWrongKind(at.Point) },
	}
}

// StaleList responds to a list with an older state, like a server that lags
// behind, regardless of the requested version. behind is the number of
// versions that it lags. Later pages continue the list that they belong to.
func StaleList(behind uint64) Action {
	return Action{text: fmt.Sprintf("list the state of %d versions ago", behind), verb: "list", rewriteRequest: func(at *faultPoint) *http.Request {
		query := at.Request.URL.Query()
		if query.Get("continue") != "" {
			return at.Request
		}
		r := at.Request.Clone(at.Request.Context())
		query.Set("resourceVersion", strconv.FormatUint(at.server.versionBefore(at.Request, behind), 10))
		query.Set("resourceVersionMatch", "Exact")
		r.URL.RawQuery = query.Encode()
		return r
	}}
}

// versionBefore returns the version some versions ago, or the oldest one in the
// history.
func (s *Server) versionBefore(r *http.Request, behind uint64) uint64 {
	now := s.store.Current()
	asked := uint64(1)
	if behind < now {
		asked = now - behind
	}
	at, _ := params.ParsePath(r.URL.Path)
	res := s.registry.Find(at.GroupVersionResource)
	if res == nil {
		return asked
	}
	if _, err := res.Table.Follow(asked); err != nil {
		if older := (storage.TooOld{}); errors.As(err, &older) {
			return older.Oldest
		}
	}
	return asked
}

// changedResponse is a buffered response whose request has a user.
type changedResponse struct {
	*fault.Buffer
	out *responseWriter
}

func newChangedResponse(out *responseWriter, broken bool) *changedResponse {
	return &changedResponse{fault.NewBuffer(out, broken), out}
}

func (c *changedResponse) setUser(user User) { c.out.setUser(user) }
