package outage

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// backend starts a server that answers each request with a line, and keeps the response
// to a watch open.
func backend(t *testing.T, arrived func()) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived()
		fmt.Fprintln(w, "hello")
		if isWatch(r) {
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// both runs a test with a client of each protocol.
func both(t *testing.T, test func(t *testing.T, p *Proxy, c *http.Client, arrived *atomic.Int64)) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2.0"} {
		t.Run(protocol, func(t *testing.T) {
			var arrived atomic.Int64
			p, err := New(backend(t, func() { arrived.Add(1) }))
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(p.Authority)
			transport := &http.Transport{DialContext: p.Dial, TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: protocol == "HTTP/2.0"}
			defer transport.CloseIdleConnections()
			client := &http.Client{Transport: transport}
			response, err := client.Get(p.URL)
			if err != nil {
				t.Fatal(err)
			}
			if response.Proto != protocol {
				t.Fatalf("%s instead of %s", response.Proto, protocol)
			}
			text(t, response)
			test(t, p, client, &arrived)
		})
	}
}

func text(t *testing.T, response *http.Response) string {
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}

// watch opens a watch and reads its first line.
func watch(t *testing.T, p *Proxy, c *http.Client) *bufio.Reader {
	response, err := c.Get(p.URL + "?watch=1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	events := bufio.NewReader(response.Body)
	if line, err := events.ReadString('\n'); err != nil {
		t.Fatal(line, err)
	}
	return events
}

func end(t *testing.T, p *Proxy) {
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
}

// awaitRequest waits until the proxy has counted a request.
func awaitRequest(p *Proxy, since time.Time) {
	look := time.NewTicker(time.Millisecond)
	defer look.Stop()
	for p.Requests(since, time.Now()).Total == 0 {
		<-look.C
	}
}

// get sends a request and fails the test if the response is not that of the backend.
func get(t *testing.T, p *Proxy, c *http.Client) {
	t.Helper()
	response, err := c.Get(p.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, response); response.StatusCode != http.StatusOK || got != "hello\n" {
		t.Fatal(response.Status, got)
	}
}

// startRequest sends a request on another goroutine. The channel receives its error.
func startRequest(p *Proxy, c *http.Client) <-chan error {
	done := make(chan error, 1)
	go func() {
		response, err := c.Get(p.URL)
		if err == nil {
			err = response.Body.Close()
		}
		done <- err
	}()
	return done
}

// mustWait fails the test if the request has ended.
func mustWait(t *testing.T, request <-chan error) {
	t.Helper()
	select {
	case err := <-request:
		t.Fatal("a response during the outage:", err)
	default:
	}
}

func wantRequests(t *testing.T, p *Proxy, since time.Time, want int) {
	t.Helper()
	if got := p.Requests(since, time.Now()).Total; got != want {
		t.Errorf("%d requests, want %d", got, want)
	}
}

// An outage of connections ends open watches, lets no request reach the backend, and counts
// one request for each connection. Afterwards requests succeed.
func TestOutageOfConnections(t *testing.T) {
	for form, want := range map[Form]func(error) bool{
		Reset:   func(err error) bool { return errors.Is(err, syscall.ECONNRESET) },
		EOF:     func(err error) bool { return errors.Is(err, io.EOF) },
		Refused: func(err error) bool { return errors.Is(err, syscall.ECONNREFUSED) },
	} {
		t.Run(string(form), func(t *testing.T) {
			both(t, func(t *testing.T, p *Proxy, c *http.Client, arrived *atomic.Int64) {
				events := watch(t, p, c)
				before, began := arrived.Load(), time.Now()
				p.Begin(Fault{Form: form})
				if line, err := events.ReadString('\n'); err == nil {
					t.Errorf("the watch continues: %q", line)
				}
				for range 3 {
					c.CloseIdleConnections()
					response, err := c.Get(p.URL)
					if err == nil {
						t.Fatal("a response during the outage:", response.Status)
					}
					if !want(err) {
						t.Errorf("%v", err)
					}
				}
				if got := p.Requests(began, time.Now()); got.Total != 3 || arrived.Load() != before {
					t.Errorf("%+v, want 3; %d requests at the backend", got, arrived.Load()-before)
				}
				if at, answered := p.FirstAnswer(began); answered {
					t.Error("a response during the outage at", at)
				}
				end(t, p)
				ended := time.Now()
				get(t, p, c)
				if at, answered := p.FirstAnswer(ended); !answered || at.Before(ended) {
					t.Error("no response after the outage")
				}
			})
		})
	}
}

// During a partition connections deliver no bytes. Afterwards they continue.
func TestConnectionsContinueAfterPartition(t *testing.T) {
	both(t, func(t *testing.T, p *Proxy, c *http.Client, arrived *atomic.Int64) {
		before := arrived.Load()
		p.Begin(Fault{Form: Partitioned})
		began := time.Now()
		answers := startRequest(p, c)
		fresh := make(chan error)
		go func() { // a new connection waits too
			conn, err := p.Dial(context.Background(), "tcp", strings.TrimPrefix(p.URL, "https://"))
			if err == nil {
				_, err = conn.Write([]byte("no handshake"))
				fresh <- err
				_, _ = io.Copy(io.Discard, conn)
				err = conn.Close()
			}
			fresh <- err
		}()
		if err := <-fresh; err != nil {
			t.Fatal(err)
		}
		awaitRequest(p, began) // the new connection counts once
		mustWait(t, answers)
		if arrived.Load() != before {
			t.Fatal("a request has passed during the outage")
		}
		end(t, p)
		if err := <-answers; err != nil {
			t.Error(err)
		}
		if err := <-fresh; err != nil {
			t.Error(err)
		}
		wantRequests(t, p, began, 2) // the request and the connection
	})
}

// A half-open connection delivers no bytes until the outage ends, and then continues. New
// connections work in the meantime.
func TestHalfOpenConnectionContinuesAfterOutage(t *testing.T) {
	both(t, func(t *testing.T, p *Proxy, c *http.Client, arrived *atomic.Int64) {
		before := arrived.Load()
		p.Begin(Fault{Form: HalfOpen})
		began := time.Now()
		answers := startRequest(p, c)
		other := &http.Client{Transport: c.Transport.(*http.Transport).Clone()}
		defer other.CloseIdleConnections()
		get(t, p, other)
		mustWait(t, answers)
		if arrived.Load() != before+1 {
			t.Fatal("a request has passed on a half-open connection")
		}
		end(t, p)
		if err := <-answers; err != nil {
			t.Error(err)
		}
		wantRequests(t, p, began, 2)
	})
}

// The first request on a connection that was counted itself is not counted again.
func TestRequestOnCountedConnectionCountsOnce(t *testing.T) {
	both(t, func(t *testing.T, p *Proxy, c *http.Client, _ *atomic.Int64) {
		c.CloseIdleConnections()
		p.Begin(Fault{Form: Partitioned})
		began := time.Now()
		done := startRequest(p, c)
		awaitRequest(p, began)
		end(t, p)
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		get(t, p, c)
		wantRequests(t, p, began, 2)
	})
}

// An outage of requests ends open watches. It responds to each request and counts it.
func TestOutageOfRequests(t *testing.T) {
	for _, fault := range []Fault{{Form: Unavailable}, {Form: Unavailable, RetryAfter: 2 * time.Second}, {Form: TooManyRequests, RetryAfter: time.Second}, {Form: Truncated}} {
		t.Run(fmt.Sprint(fault.Form, fault.RetryAfter), func(t *testing.T) {
			both(t, func(t *testing.T, p *Proxy, c *http.Client, arrived *atomic.Int64) {
				events := watch(t, p, c)
				before, began := arrived.Load(), time.Now()
				p.Begin(fault)
				if line, err := events.ReadString('\n'); err == nil {
					t.Errorf("the watch continues: %q", line)
				}
				for _, query := range []string{"", "?watch=true"} {
					response, err := c.Get(p.URL + query)
					if err != nil {
						t.Fatal(err)
					}
					body, err := io.ReadAll(response.Body)
					response.Body.Close()
					checkAnswer(t, fault, response, string(body), err)
				}
				if got := p.Requests(began, time.Now()); got.Total != 2 || arrived.Load() != before {
					t.Errorf("%+v, want 2; %d requests at the backend", got, arrived.Load()-before)
				}
				if at, answered := p.FirstAnswer(began); answered {
					t.Error("a response during the outage at", at)
				}
				if announced := p.LastAnnounced(); announced.IsZero() != (fault.RetryAfter == 0) || fault.RetryAfter > 0 && announced.Before(began.Add(fault.RetryAfter)) {
					t.Error("announced", announced)
				}
				end(t, p)
				get(t, p, c)
			})
		})
	}
}

func checkAnswer(t *testing.T, fault Fault, response *http.Response, body string, err error) {
	if fault.Form == Truncated {
		if response.StatusCode != http.StatusOK || err == nil || !strings.HasPrefix(body, `{"`) {
			t.Errorf("%s %q %v", response.Status, body, err)
		}
		return
	}
	announced := ""
	if fault.RetryAfter > 0 {
		announced = fmt.Sprint(fault.RetryAfter.Seconds())
	}
	if fmt.Sprint(response.StatusCode) != string(fault.Form) || response.Header.Get("Retry-After") != announced || err != nil || !strings.Contains(body, `"kind":"Status"`) {
		t.Errorf("%s %v %q %v", response.Status, response.Header, body, err)
	}
}

// The pages of a list count as one request.
func TestLaterPagesOfAListAreNotCounted(t *testing.T) {
	both(t, func(t *testing.T, p *Proxy, c *http.Client, _ *atomic.Int64) {
		began := time.Now()
		for _, query := range []string{"?limit=5", "?limit=5&continue=x", "?limit=5&continue=y"} {
			response, err := c.Get(p.URL + query)
			if err != nil {
				t.Fatal(err)
			}
			text(t, response)
		}
		if got := p.Requests(began, time.Now()); got.Total != 1 {
			t.Errorf("%d requests, want 1", got.Total)
		}
	})
}

// A middlebox closes connections, both open and new ones.
func TestConnectionsAreClosedAfterLimit(t *testing.T) {
	both(t, func(t *testing.T, p *Proxy, c *http.Client, _ *atomic.Int64) {
		before := watch(t, p, c)
		p.LimitConnections(func() time.Duration { return 20 * time.Millisecond })
		if line, err := before.ReadString('\n'); err == nil {
			t.Errorf("the watch continues: %q", line)
		}
		response, err := c.Get(p.URL + "?watch=1")
		if err != nil {
			return // its connection was closed before the answer
		}
		defer response.Body.Close()
		if body, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("the next watch has ended without an error: %q", body)
		}
	})
}

func TestPeakIsMaximumOfAnySecond(t *testing.T) {
	began := time.Now()
	var at []time.Time
	for _, after := range []time.Duration{0, 600, 700, 900, 1500, 1590, 3000} {
		at = append(at, began.Add(after*time.Millisecond))
	}
	if got := peak(at); got != 5 {
		t.Errorf("%d, want the five from 0.6 s to 1.59 s", got)
	}
	if got := peak(nil); got != 0 {
		t.Errorf("%d of none", got)
	}
}

func TestOnlyRequestsWithinTheSpanAreCounted(t *testing.T) {
	from := time.Now()
	to := from.Add(time.Second)
	counted := tally{requests: []time.Time{from.Add(-1), from, to.Add(-1), to}}
	if got := counted.between(from, to); got.Total != 2 {
		t.Errorf("%+v", got)
	}
}
