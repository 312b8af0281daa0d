package transcript

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// A Server is the server that a script is run against.
type Server struct {
	// URL is its base URL, without a slash at the end.
	URL string
	// Client sends the requests; nil means http.DefaultClient.
	Client *http.Client
	// Tokens has the tokens of the users of scripts: user "admin" has all permissions,
	// user "nobody" has only those of every authenticated user.
	Tokens map[string]string
	// Compact makes the server discard all old versions; nil means unsupported.
	Compact func(context.Context) error
	// Timeout is the timeout of a response or event; 0 means 30 seconds.
	Timeout time.Duration
}

// player is one run of a script.
type player struct {
	Server
	http   *http.Client
	values *values
	normal *normalizer
	// watches that are open, by name.
	watches map[string]*openWatch
	// created has the paths of the objects that the script has created, oldest first.
	created []string
}

// Play runs the script and returns an answer for each of its exchanges. It stops
// early, with an error, if the script is invalid or the server does not respond. At
// the end it deletes the objects that the script has created and not deleted, as far
// as the server permits.
func Play(ctx context.Context, script *Script, server Server) (answers []string, err error) {
	p := newPlayer(server)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer p.close(ctx)
	if err := p.setUp(ctx); err != nil {
		return nil, err
	}
	for _, exchange := range script.Exchanges {
		answer, err := p.play(ctx, exchange)
		if err != nil {
			return answers, fmt.Errorf("%s:%d: %s: %w", script.Name, exchange.Line, exchange.command(), err)
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

func newPlayer(server Server) *player {
	server.Client = cmp.Or(server.Client, http.DefaultClient)
	server.Timeout = cmp.Or(server.Timeout, 30*time.Second)
	client := *server.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	namespace := "t-" + strings.ToLower(rand.Text()[:8])
	return &player{
		Server: server, http: &client,
		values:  &values{namespace: namespace, saved: map[string]any{}},
		normal:  newNormalizer(namespace, server.URL),
		watches: map[string]*openWatch{},
	}
}

func (p *player) play(ctx context.Context, e *Exchange) (string, error) {
	switch e.Verb {
	case "SEED":
		return p.seed(ctx, e)
	case "COMPACT":
		return "", p.compact(ctx)
	case "WATCH":
		return p.openWatch(ctx, e)
	case "EVENTS":
		return p.events(ctx, e)
	case "STOP":
		return p.stopWatch(e)
	}
	answer, err := p.sendWithRetry(ctx, e)
	if err != nil {
		return "", err
	}
	p.remember(e, answer)
	return p.renderAnswer(e, answer)
}

// sendWithRetry sends the request of an exchange, and sends it again while the
// response has a status of the option retry.
func (p *player) sendWithRetry(ctx context.Context, e *Exchange) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	request, err := p.compose(e)
	if err != nil {
		return nil, err
	}
	for {
		answer, err := p.send(ctx, request)
		if err != nil || !slices.Contains(e.options["retry"], fmt.Sprint(answer.status)) {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, nil
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// remember saves the parts of a response that later exchanges and the cleanup need.
func (p *player) remember(e *Exchange, answer *answer) {
	p.normal.observe(answer.object)
	if names := e.options["save"]; len(names) > 0 {
		p.values.saved[names[0]] = answer.object
	}
	if answer.status != http.StatusCreated {
		return
	}
	path, _, _ := strings.Cut(answer.path, "?")
	if e.Verb == "POST" || e.Verb == "SEED" {
		name, ok := lookup(answer.object, []string{"metadata", "name"})
		if !ok {
			return
		}
		path += "/" + fmt.Sprint(name)
	}
	p.created = append(p.created, path)
}

// seed creates the objects in the lines of the body.
func (p *player) seed(ctx context.Context, e *Exchange) (string, error) {
	var statuses []string
	for line := range strings.Lines(e.body) {
		create := *e
		create.Verb, create.body = http.MethodPost, line
		answer, err := p.sendWithRetry(ctx, &create)
		if err != nil {
			return "", err
		}
		p.remember(&create, answer)
		if name, ok := lookup(answer.object, []string{"metadata", "name"}); ok {
			p.values.saved[fmt.Sprint(name)] = answer.object
		}
		statuses = append(statuses, fmt.Sprint(answer.status))
	}
	return strings.Join(statuses, " ") + "\n", nil
}

func (p *player) compact(ctx context.Context) error {
	if p.Compact == nil {
		return errors.New("this server cannot discard old versions")
	}
	return p.Compact(ctx)
}

// setUp creates the script's namespace.
func (p *player) setUp(ctx context.Context) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": p.values.namespace}})
	if err != nil {
		return err
	}
	e := &Exchange{Verb: http.MethodPost, Target: "/api/v1/namespaces", body: string(body)}
	answer, err := p.sendWithRetry(ctx, e)
	if err != nil {
		return fmt.Errorf("create the namespace of the script: %w", err)
	}
	if answer.status != http.StatusCreated {
		return fmt.Errorf("create the namespace of the script: %d %s", answer.status, answer.body)
	}
	p.remember(e, answer)
	return nil
}

// close stops the watches and deletes the created objects, the newest first.
func (p *player) close(ctx context.Context) {
	for _, watch := range p.watches {
		watch.stop()
	}
	for _, path := range slices.Backward(p.created) {
		_, _ = p.sendWithRetry(ctx, &Exchange{Verb: http.MethodDelete, Target: path})
	}
}
