package kubeconfig

import (
	"errors"
	"fmt"

	"github.com/thinformer/thinformer/rest"
)

// user is who is asking, and how they prove it.
type user struct {
	origin                       string
	certFile, keyFile, tokenFile string
	certData, keyData            []byte
	token, username, password    string
	impersonated                 rest.ImpersonationConfig
	exec                         *rest.ExecConfig
	authProvider                 string
	hasAuthProvider              bool
}

func readUser(n node, origin, folder string) *user {
	u := &user{
		origin:    origin,
		certFile:  resolve(folder, n.at("client-certificate").text()),
		keyFile:   resolve(folder, n.at("client-key").text()),
		tokenFile: resolve(folder, n.at("tokenFile").text()),
		certData:  n.at("client-certificate-data").data(),
		keyData:   n.at("client-key-data").data(),
		token:     n.at("token").text(),
		username:  n.at("username").text(),
		password:  n.at("password").text(),
		impersonated: rest.ImpersonationConfig{
			UserName: n.at("as").text(),
			UID:      n.at("as-uid").text(),
			Groups:   n.at("as-groups").texts(),
			Extra:    n.at("as-user-extra").textLists(),
		},
	}
	if provider := n.at("auth-provider").fields(); provider.here() {
		u.hasAuthProvider, u.authProvider = true, provider.at("name").text()
	}
	if exec := n.at("exec").fields(); exec.here() {
		u.exec = readExec(exec, folder)
	}
	return u
}

// apply writes what the user is into a config that has its server.
func (u *user) apply(config *rest.Config, onto *cluster) error {
	as := u.impersonated
	if as.UserName == "" && (as.UID != "" || len(as.Groups) > 0 || len(as.Extra) > 0) {
		return errors.New("as-uid, as-groups and as-user-extra need an as")
	}
	config.Impersonate = as
	if !onto.secure() {
		if onto.schemeless() && (u.identified() || u.keyFile != "" || u.keyData != nil || u.exec != nil || u.hasAuthProvider) {
			return fmt.Errorf("the credentials would not be used: %w", errNoScheme)
		}
		return nil
	}
	if u.hasAuthProvider {
		return fmt.Errorf("auth-provider %q: such providers are no longer part of Kubernetes; use a plugin by exec", cut(u.authProvider))
	}
	if err := u.applyCertificate(&config.TLS); err != nil {
		return err
	}
	if err := u.applySecrets(config); err != nil {
		return err
	}
	if u.exec == nil {
		return nil
	}
	if err := checkExec(u.exec); err != nil || u.identified() {
		return err
	}
	return applyExec(config, *u.exec, onto)
}

// identified is whether the user needs no plugin.
func (u *user) identified() bool {
	return u.token != "" || u.tokenFile != "" || u.username != "" || u.certFile != "" || u.certData != nil
}

func (u *user) applySecrets(config *rest.Config) error {
	switch {
	case u.username != "" && (u.token != "" || u.tokenFile != ""):
		return errors.New("token and username exclude each other")
	case u.username == "" && u.password != "":
		return errors.New("password has no username beside it")
	}
	config.Username, config.Password = u.username, u.password
	config.BearerToken, config.BearerTokenFile = u.token, u.tokenFile
	return readable("tokenFile", u.tokenFile)
}

func (u *user) applyCertificate(tls *rest.TLSConfig) error {
	hasCert := u.certFile != "" || u.certData != nil
	hasKey := u.keyFile != "" || u.keyData != nil
	switch {
	case hasCert && !hasKey:
		return errors.New("client-certificate has no client-key beside it")
	case hasKey && !hasCert:
		return errors.New("client-key has no client-certificate beside it")
	}
	tls.CertData, tls.KeyData = u.certData, u.keyData
	if u.certData == nil {
		tls.CertFile = u.certFile
	}
	if u.keyData == nil {
		tls.KeyFile = u.keyFile
	}
	if err := readable("client-certificate", tls.CertFile); err != nil {
		return err
	}
	return readable("client-key", tls.KeyFile)
}
