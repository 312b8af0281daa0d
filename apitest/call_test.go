package apitest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/thinformer/thinformer/apitest/internal/response"
	"github.com/thinformer/thinformer/internal/pbobj"
)

// canceledAfter is a context that is canceled after n checks.
type canceledAfter struct {
	context.Context
	left, looks atomic.Int64
}

func (c *canceledAfter) Err() error {
	c.looks.Add(1)
	if c.left.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func joinNumbered(format string, n int) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// protobufOf encodes a message field with its length.
func protobufOf(number byte, content string) string {
	head := []byte{number<<3 | 2}
	n := len(content)
	for ; n > 127; n >>= 7 {
		head = append(head, byte(n)|128)
	}
	return string(append(head, byte(n))) + content
}

// "A write is not stored if its client has gone": the request ends at the first
// check after the client disconnects, and nothing is stored. Larger bodies have
// more checks.
func TestRequestsOfDisconnectedClientsAreAborted(t *testing.T) {
	const cups = "/apis/example.com/v1/namespaces/default/cups"
	const n = 20 * ticksPerCheck
	pod := protobufOf(1, protobufOf(1, "q")) + protobufOf(2, strings.Repeat(protobufOf(2, ""), n))
	for name, test := range map[string]struct {
		request, contentType, body string
		least                      int64 // checks
	}{
		"defaults":  {"POST " + cups, jsonType, `{"apiVersion":"example.com/v1","kind":"Cup","metadata":{"name":"b"},"spec":{"handles":[` + joinNumbered(`{"side":"%d"}`, n) + `]}}`, 20},
		"merge":     {"PATCH " + cups + "/a", mergePatchType, `{"spec":{"handles":[` + joinNumbered(`{"side":"%d"}`, n) + `]}}`, 20},
		"apply":     {"PATCH " + cups + "/b?fieldManager=m", "application/apply-patch+yaml", `{"apiVersion":"example.com/v1","kind":"Cup","metadata":{"name":"b"},"spec":{"handles":[` + joinNumbered(`{"side":"%d"}`, n) + `]}}`, 20},
		"protobuf":  {"POST " + inDefault + "pods", response.MediaTypeProtobuf, pbobj.Magic + protobufOf(1, protobufOf(1, "v1")+protobufOf(2, "Pod")) + protobufOf(2, pod), 20},
		"strategic": {"PATCH " + inDefault + "pods/p", "application/strategic-merge-patch+json", `{"spec":{"containers":[` + joinNumbered(`{"name":"x%d"}`, 100) + `]}}`, 8},
	} {
		t.Run(name, func(t *testing.T) {
			srv := NewServer(Options{InMemory: true, Seed: 1})
			defer srv.Close()
			must(t, srv, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions", jsonType, defaulted)
			Create(t, srv, cup("a", nil))
			must(t, srv, "POST "+inDefault+"pods", jsonType, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c"}]}}`)
			before := srv.store.Current()
			sent := func(ctx *canceledAfter) (code int, ended bool) {
				method, path, _ := strings.Cut(test.request, " ")
				r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(test.body))
				r.Header.Set("Content-Type", test.contentType)
				w := httptest.NewRecorder()
				defer func() {
					if reason := recover(); reason != nil {
						require.Equal(t, http.ErrAbortHandler, reason)
						ended = true
					}
				}()
				srv.ServeHTTP(w, r)
				return w.Code, false
			}
			stays := func(looks int64) *canceledAfter {
				ctx := &canceledAfter{Context: context.Background()}
				ctx.left.Store(looks)
				return ctx
			}
			const forever = 1 << 40
			// Count the checks, without storing anything.
			dry := stays(forever)
			request := test.request
			if strings.Contains(request, "?") {
				test.request += "&dryRun=All"
			} else {
				test.request += "?dryRun=All"
			}
			code, ended := sent(dry)
			require.False(t, ended)
			require.Less(t, code, 300)
			test.request = request
			looks := dry.looks.Load()
			require.GreaterOrEqual(t, looks, test.least)
			for goes := int64(0); goes < looks; goes += max(1, looks/10) {
				ctx := stays(goes)
				_, ended := sent(ctx)
				require.True(t, ended, "the client disconnects after %d of %d checks", goes, looks)
				require.Equal(t, goes+1, ctx.looks.Load(), "nothing is done after the check")
				require.Equal(t, before, srv.store.Current(), "nothing is stored")
			}
			code, ended = sent(stays(forever))
			require.False(t, ended)
			require.Less(t, code, 300)
			require.Greater(t, srv.store.Current(), before)
		})
	}
}

// A strategic merge of a long list that takes quadratic time and cannot be
// interrupted is rejected.
func TestLongStrategicMergesAreRejected(t *testing.T) {
	srv := NewServer(Options{InMemory: true, Seed: 1})
	defer srv.Close()
	must(t, srv, "POST "+inDefault+"pods", jsonType, `{"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","args":["a"]}]}}`)
	patch := func(body string) int {
		code, _, _ := send(t, srv, "PATCH "+inDefault+"pods/p", "application/strategic-merge-patch+json", body)
		return code
	}
	require.Equal(t, 413, patch(`{"spec":{"containers":[`+joinNumbered(`{"name":"x%d"}`, 6_000)+`]}}`))
	require.Equal(t, 413, patch(`{"metadata":{"finalizers":[`+joinNumbered(`"x.y/%d"`, 6_000)+`]}}`))
	require.Equal(t, 413, patch(`{"spec":{"containers":[`+joinNumbered(`{"name":"x%d","env":[`+joinNumbered(`{"name":"y%d"}`, 1_000)+`]}`, 30)+`]}}`))
	require.Equal(t, 200, patch(`{"spec":{"containers":[{"name":"c","args":[`+joinNumbered(`"a%d"`, 10_000)+`]}]}}`), "replacing a list does not take quadratic time")
	require.Equal(t, 200, patch(`{"spec":{"containers":[{"name":"c","env":[`+joinNumbered(`{"name":"y%d"}`, 300)+`]}]}}`))
}
