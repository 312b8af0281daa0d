package plane

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
)

// Compact makes etcd discard every version except the latest. A running API server does
// this only every five minutes. kube-apiserver keeps the versions in its watch cache.
func (p *Plane) Compact(ctx context.Context) error {
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", p.file("etcd.sock"))
		},
	}}
	var now struct {
		Header struct{ Revision string }
	}
	// The key of one zero byte does not exist. Only the header of the response is used.
	err := askEtcd(ctx, client, "range", map[string]any{"key": []byte{0}}, &now)
	if err == nil {
		err = askEtcd(ctx, client, "compaction", map[string]any{"revision": now.Header.Revision, "physical": true}, nil)
	}
	if err != nil {
		return fmt.Errorf("compact etcd: %w", err)
	}
	return nil
}

// askEtcd calls a method of etcd's key-value service in its JSON form.
func askEtcd(ctx context.Context, client *http.Client, method string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://etcd/v3/kv/"+method, bytes.NewReader(text))
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: etcd answers %s", method, response.Status)
	}
	if answer == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(answer)
}
