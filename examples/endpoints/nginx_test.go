package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// endpoints and slice parse an object.
func endpoints(t *testing.T, text string) part { return read(t, text, new(Endpoints)) }
func slice(t *testing.T, text string) part     { return read(t, text, new(EndpointSlice)) }

func read(t *testing.T, text string, target part) part {
	t.Helper()
	require.NoError(t, yaml.UnmarshalStrict([]byte(text), target))
	return target
}

const sliceOf = "metadata: {name: web-1, namespace: ns, labels: {kubernetes.io/service-name: web}}\naddressType: IPv4\n"

// The rendered text of each input.
func TestRender(t *testing.T) {
	for name, c := range map[string]struct {
		parts []part
		want  string
	}{
		"ports sorted by name": {[]part{endpoints(t, `
metadata: {name: web}
subsets:
- addresses: [{ip: 10.0.0.10}, {ip: 10.0.0.9}]
  ports: [{name: http, port: 8080}, {name: admin, port: 9090, protocol: TCP}]
- addresses: [{ip: 10.0.0.1}]
  ports: [{name: http, port: 8081}]`)}, `
upstream ns_web_admin {
    server 10.0.0.9:9090;
    server 10.0.0.10:9090;
}

upstream ns_web_http {
    server 10.0.0.1:8081;
    server 10.0.0.9:8080;
    server 10.0.0.10:8080;
}
`},
		"port without a name": {[]part{endpoints(t, `
metadata: {name: web}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]`)}, `
upstream ns_web {
    server 10.0.0.1:80;
}
`},
		"not ready in one subset, ready in another": {[]part{endpoints(t, `
metadata: {name: web}
subsets:
- addresses: [{ip: 10.0.0.1}]
  notReadyAddresses: [{ip: 10.0.0.2}, {ip: 10.0.0.1}]
  ports: [{port: 80}]`)}, `
upstream ns_web {
    server 10.0.0.1:80;
    server 10.0.0.2:80 down;
}
`},
		"IPv6": {[]part{endpoints(t, `
metadata: {name: web}
subsets: [{addresses: [{ip: "fd00::1"}], ports: [{port: 80}]}]`)}, `
upstream ns_web {
    server [fd00::1]:80;
}
`},
		"UDP and SCTP": {[]part{endpoints(t, `
metadata: {name: dns}
subsets: [{addresses: [{ip: 10.0.0.1}], ports: [{name: dns, port: 53, protocol: UDP}, {name: s, port: 1, protocol: SCTP}]}]`)}, `
# dns has no endpoints
`},
		"no endpoints": {[]part{endpoints(t, `metadata: {name: b}`), endpoints(t, `
metadata: {name: a}
subsets: [{addresses: [{ip: 10.0.0.1}]}]`)}, `
# a has no endpoints

# b has no endpoints
`},
		"several slices of a service": {[]part{slice(t, sliceOf+`
ports: [{name: http, port: 80}]
endpoints: [{addresses: [10.0.0.2], conditions: {ready: false}}, {addresses: [10.0.0.3, 10.0.0.4]}]`), slice(t, sliceOf+`
ports: [{name: http, port: 80}]
endpoints: [{addresses: [10.0.0.2], conditions: {ready: true}}, {addresses: [10.0.0.1]}, {addresses: []}]`)}, `
upstream ns_web_http {
    server 10.0.0.1:80;
    server 10.0.0.2:80;
    server 10.0.0.3:80;
}
`},
		"slice without a service": {[]part{slice(t, `
metadata: {name: alone}
addressType: IPv4
ports: [{port: 80}]
endpoints: [{addresses: [10.0.0.1]}]`)}, ""},
		"host names": {[]part{slice(t, sliceOf+`
ports: [{port: 80}]
endpoints: [{addresses: [example.com]}]`)}, `
# left out of web: "example.com" is not an IP address

# web has no endpoints
`},
		"slice for any port": {[]part{slice(t, sliceOf+`
ports: [{name: any}]
endpoints: [{addresses: [10.0.0.1]}]`)}, `
# left out of web: 0 is not a port

# web has no endpoints
`},
		"injection through names and addresses": {[]part{endpoints(t, `
metadata: {name: web}
subsets:
- addresses: [{ip: "10.0.0.1;}\n include /etc/shadow;"}, {ip: "fe80::1%x;}"}, {ip: 10.0.0.7}]
  ports: [{name: "http {}\n", port: 80}, {name: ok, port: 80}]`), endpoints(t, `
metadata: {name: "x\n}"}`)}, `
# left out of web: "10.0.0.1;}\n include /etc/shadow;" is not an IP address

# left out of web: "fe80::1%x;}" is not an IP address

# left out of web: "http {}\n" is not a port name

upstream ns_web_ok {
    server 10.0.0.7:80;
}

# left out: "x\n}" is not a service name
`},
	} {
		t.Run(name, func(t *testing.T) {
			text := string(render("ns", slices.Values(c.parts)))
			first, services, _ := strings.Cut(text, "\n")
			require.Equal(t, "# The endpoints of namespace ns, by thinformer's examples/endpoints.", first)
			require.Equal(t, c.want, services)
		})
	}
}

// Equal endpoints give equal files, in any order.
func TestOutputDoesNotDependOnTheOrder(t *testing.T) {
	var parts []part
	for _, name := range []string{"a", "b", "c", "d"} {
		for _, ip := range []string{"10.0.0.1", "10.0.0.2", "10.0.0.3"} {
			parts = append(parts, slice(t, "metadata: {name: s-"+ip+", labels: {kubernetes.io/service-name: "+name+"}}\naddressType: IPv4\n"+
				"ports: [{name: x, port: 2}, {name: y, port: 1}]\nendpoints: [{addresses: ["+ip+"]}, {addresses: [10.0.0.9]}, {addresses: [bad]}]"))
		}
	}
	want := string(render("ns", slices.Values(parts)))
	for range 20 {
		rand.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		require.Equal(t, want, string(render("ns", slices.Values(parts))))
	}
}

// changed reports updates that change the rendered text.
func TestChanged(t *testing.T) {
	base := `
metadata: {name: web, resourceVersion: "1"}
subsets:
- addresses: [{ip: 10.0.0.1}, {ip: 10.0.0.2}]
  ports: [{name: http, port: 80}]`
	for name, c := range map[string]struct {
		replace, by string
		want        bool
	}{
		"version":          {`"1"`, `"2"`, false},
		"order":            {"{ip: 10.0.0.1}, {ip: 10.0.0.2}", "{ip: 10.0.0.2}, {ip: 10.0.0.1}", false},
		"address":          {"10.0.0.2", "10.0.0.3", true},
		"address removed":  {", {ip: 10.0.0.2}", "", true},
		"port":             {"80", "81", true},
		"port name":        {"http", "web", true},
		"not ready":        {"- addresses", "- notReadyAddresses", true},
		"invalid address":  {"10.0.0.2", "nowhere", true},
		"default protocol": {"port: 80", "port: 80, protocol: TCP", false},
	} {
		t.Run(name, func(t *testing.T) {
			next := strings.Replace(base, c.replace, c.by, 1)
			require.NotEqual(t, base, next)
			before, after := endpoints(t, base).(*Endpoints), endpoints(t, next).(*Endpoints)
			require.Equal(t, c.want, changed(before, after))
		})
	}
	before, after := slice(t, sliceOf+"endpoints: []").(*EndpointSlice), slice(t, strings.Replace(sliceOf, "name: web}", "name: db}", 1)+"endpoints: []").(*EndpointSlice)
	require.True(t, changed(before, after), "the service has changed")
}
