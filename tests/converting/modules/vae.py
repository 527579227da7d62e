from mxnet.gluon import nn


class VAE(nn.HybridBlock):
    def __init__(self, n_hidden=40, n_latent=2, n_output=64, act_type="relu", **kwargs):
        super(VAE, self).__init__(**kwargs)
        self.n_latent = n_latent
        with self.name_scope():
            self.encoder = nn.HybridSequential(prefix="encoder")
            self.encoder.add(nn.Dense(n_hidden, activation=act_type))
            self.encoder.add(nn.Dense(n_latent * 2, activation=None))
            self.decoder = nn.HybridSequential(prefix="decoder")
            self.decoder.add(nn.Dense(n_hidden, activation=act_type))
            self.decoder.add(nn.Dense(n_output, activation="sigmoid"))

    def hybrid_forward(self, F, x):
        h = self.encoder(x)
        mu, log_var = F.split(h, axis=1, num_outputs=2)
        eps = F.random.normal_like(mu)
        z = mu + F.exp(0.5 * log_var) * eps
        y = self.decoder(z)
        kl = 0.5 * F.sum(1 + log_var - mu * mu - F.exp(log_var), axis=1)
        logloss = F.sum(x * F.log(y + 1e-10) + (1 - x) * F.log(1 - y + 1e-10), axis=1)
        return y, -logloss - kl
