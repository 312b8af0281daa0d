package debug

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// CheckHost returns a handler that answers 403 to requests over loopback whose Host
// is a DNS name other than localhost, *.localhost and hosts.
//
// A page that listens only on loopback can be reached by web sites through DNS
// rebinding: a site resolves its own name to 127.0.0.1, and the browser of a user on
// this host sends the requests of the site's scripts to this server. The Host of
// such a request is the name of the site. IP addresses always pass, since a site
// cannot use them as its name.
func CheckHost(next http.Handler, hosts ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !allowsHost(r, hosts) {
			http.Error(w, refusedHost(r), http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func refusedHost(r *http.Request) string {
	return "host " + printable(r.Host) + " is not allowed: use localhost or an IP address, or add the name to Hosts"
}

// allowsHost reports whether CheckHost allows a request.
func allowsHost(r *http.Request, hosts []string) bool {
	local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !isLoopback(local) {
		return true
	}
	name := hostname(r.Host)
	if name == "" || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return slices.ContainsFunc(hosts, func(host string) bool { return hostname(host) == name })
}

func isLoopback(addr net.Addr) bool {
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostname returns the normalized name in a Host, without a port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}
